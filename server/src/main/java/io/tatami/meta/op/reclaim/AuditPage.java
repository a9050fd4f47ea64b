package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.AuditPageRequest;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.AuditRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The next blocks that this shard believes to be on a server, held or intended, in order of their ids, as they are
 * asked for in an audit.
 */
public final class AuditPage implements Operation<ShardState, AuditPageRequest, AuditRequest> {
    @Override
    public AuditRequest decide(ShardState state, RequestContext context, AuditPageRequest request) {
        ServerId server = new ServerId(request.getServerId());
        AuditRequest.Builder page = AuditRequest.newBuilder()
                .setGroup(state.id().value())
                .setAfterBlockId(request.getAfterBlockId())
                .setUpToBlockId(request.getUpToBlockId());
        Files files = new Files(state);
        byte[] from = Keys.replica(server, new BlockId(request.getAfterBlockId() + 1));
        byte[] to = Keys.replica(server, new BlockId(request.getUpToBlockId() + 1));
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (cursor.next()) {
                long block = Keys.blockOfReplica(cursor.key());
                if (page.getItemCount() == request.getLimit()) {
                    page.setUpToBlockId(page.getItem(page.getItemCount() - 1).getBlockId());
                    break;
                }
                page.addItem(item(files, server, block, ShardState.parse(cursor.value(), ReplicaRecord.parser())));
            }
        }
        return page.build();
    }

    private static AuditRequest.Item item(Files files, ServerId server, long block, ReplicaRecord replica) {
        AuditRequest.Item.Builder item =
                AuditRequest.Item.newBuilder().setBlockId(block).setIntended(!replica.getHeld());
        BlockRecord record = files.block(new FileId(replica.getFileId()), block);
        if (record != null) {
            item.setGeneration(record.getGeneration()).setLength(record.getLength());
            BlockCopies.on(record, server).ifPresent(copy -> item.setCopyNumber(copy.number()));
            item.setIntended(!replica.getHeld() || record.getOpen());
        }
        return item.build();
    }

    /** Blocks by id, read once a file: neighbours on a server mostly are of the same few files. */
    private static final class Files {
        private final ShardState state;
        private final Map<FileId, Map<Long, BlockRecord>> byFile = new HashMap<>();

        Files(ShardState state) {
            this.state = state;
        }

        @Nullable
        BlockRecord block(FileId file, long block) {
            return byFile.computeIfAbsent(file, this::read).get(block);
        }

        private Map<Long, BlockRecord> read(FileId file) {
            Map<Long, BlockRecord> blocks = new HashMap<>();
            for (BlockRecord record : state.blocks(file)) {
                blocks.put(record.getBlockId(), record);
            }
            return blocks;
        }
    }
}
