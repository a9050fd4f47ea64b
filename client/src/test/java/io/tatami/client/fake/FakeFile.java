package io.tatami.client.fake;

import com.google.protobuf.ByteString;
import io.tatami.base.FileId;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of the fake cluster; guarded by the fake metadata server's lock. */
final class FakeFile {
    final FileId id;
    String name;
    final long blockSize;
    final int replication;
    final List<BlockLocation.Builder> blocks = new ArrayList<>();

    @Nullable
    ByteString inline;

    boolean open = true;
    boolean moved;
    long writerSession;
    long version;

    FakeFile(FileId id, String name, long blockSize, int replication) {
        this.id = id;
        this.name = name;
        this.blockSize = blockSize;
        this.replication = replication;
    }

    Grant grant(long block, List<Integer> servers) {
        blocks.add(BlockLocation.newBuilder()
                .setBlockId(block)
                .setGeneration(1)
                .addAllServerId(servers)
                .setOpen(true));
        return Grant.newBuilder()
                .setBlockId(block)
                .setGeneration(1)
                .addAllServerId(servers)
                .build();
    }

    void take(List<BlockReport> written, boolean isFinal) {
        for (BlockReport report : written) {
            for (BlockLocation.Builder block : blocks) {
                if (block.getBlockId() == report.getBlockId()) {
                    if (block.getGeneration() != report.getGeneration()) {
                        throw new IllegalStateException("reported " + report + ", but " + block + " counts");
                    }
                    block.setLength(report.getLength()).setOpen(block.getOpen() && !isFinal);
                }
            }
        }
    }

    long length() {
        return inline != null
                ? inline.size()
                : blocks.stream().mapToLong(BlockLocation.Builder::getLength).sum();
    }

    /** What the shard of the name says: of a file that was moved, that its home knows more. */
    Status entry(boolean withContent) {
        Status status = status(withContent);
        return moved
                ? status.toBuilder()
                        .setRight(ByteString.copyFromUtf8("may ask"))
                        .build()
                : status;
    }

    Status status(boolean withContent) {
        Status.Builder status = Status.newBuilder()
                .setKind(Status.Kind.FILE)
                .setName(name)
                .setId(id.value())
                .setLength(length())
                .setBlockSize(blockSize)
                .setReplication(replication)
                .setOpen(open)
                .setIsInline(inline != null)
                .setContentVersion(version);
        if (withContent && inline != null) {
            status.setInline(inline);
        }
        if (withContent) {
            long offset = 0;
            for (BlockLocation.Builder block : blocks) {
                status.addBlock(block.clone().setOffset(offset));
                offset += block.getLength();
            }
        }
        return status.build();
    }
}
