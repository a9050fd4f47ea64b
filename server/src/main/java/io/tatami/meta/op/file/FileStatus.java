package io.tatami.meta.op.file;

import com.google.protobuf.ByteString;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.meta.gate.Rights;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.meta.op.ExtendedAttributes;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.HomeRecordOrBuilder;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what a name stands for as clients see it. */
public final class FileStatus {
    private FileStatus() {}

    /** All that the entry says and {@code caller} may know, without content. */
    static Status.Builder of(ShardState state, Caller caller, String name, EntryRecord entry) {
        Status.Builder status = of(state, name, entry);
        return entry.hasFile()
                ? status.setAttributes(ExtendedAttributes.visibleTo(caller, status.getAttributes()))
                : status;
    }

    /** For replies that are remembered: attributes of half a megabyte are none of a writer's concern. */
    public static Status.Builder withoutXattrs(Status.Builder status) {
        if (status.getAttributes().getXattrCount() > 0) {
            status.getAttributesBuilder().clearXattr();
        }
        return status;
    }

    /** All that the entry says, without content. */
    public static Status.Builder of(ShardState state, String name, EntryRecord entry) {
        Status.Builder status = Status.newBuilder().setName(name);
        switch (entry.getKindCase()) {
            case FILE -> fill(state, status, entry.getFile());
            case MARKER ->
                status.setKind(Status.Kind.DIRECTORY).setId(entry.getMarker().getDirectoryId());
            case SYMLINK ->
                status.setKind(Status.Kind.SYMLINK)
                        .setId(entry.getSymlink().getId())
                        .setAttributes(entry.getSymlink().getAttributes())
                        .setSymlinkTarget(entry.getSymlink().getTarget());
            case KIND_NOT_SET -> throw new IllegalStateException("an entry that only holds a mark has no status");
        }
        return status;
    }

    /**
     * Completes a file's status by what its home knows, where the home is here: the length of one that is open, and as
     * much of its blocks or inline bytes as {@code sight} has.
     *
     * @param health what is told of the blocks' copies; null for nothing
     */
    static Status.Builder complete(
            ShardState state, Status.Builder status, EntryRecord entry, Sight sight, @Nullable KnownHealth health) {
        FileEntry file = entry.getFile();
        FileId id = new FileId(file.getFileId());
        if (!isIncomplete(entry, sight) || !id.home().equals(state.id())) {
            return status;
        }
        if (file.getUnwrittenBy() != 0) {
            return status;
        }
        if (!file.getOpen() && file.getContentInline()) {
            // Where a name and its home are in one shard a close changes both at once: the home says no more of it.
            return addInline(state, status, id);
        }
        HomeRecord home = state.home(id);
        if (home == null) {
            return status;
        }
        status.setLength(home.getLength()).setIsInline(home.getContentInline());
        return sight == Sight.LENGTH ? status : addContent(state, status, id, home, sight == Sight.CONTENT, health);
    }

    /** Whether only the home can tell all of it. */
    private static boolean isIncomplete(EntryRecord entry, Sight sight) {
        FileEntry file = entry.getFile();
        boolean open = file.getOpen() || file.getUnwrittenBy() != 0;
        return entry.hasFile()
                && switch (sight) {
                    case LENGTH -> open;
                    case LOCATIONS -> open || (file.getLength() > 0 && !file.getContentInline());
                    case CONTENT -> open || file.getLength() > 0;
                };
    }

    /** The blocks, or, where they are asked for, the bytes that are stored inline. */
    static Status.Builder addContent(
            ShardState state,
            Status.Builder status,
            FileId file,
            HomeRecord home,
            boolean withBytes,
            @Nullable KnownHealth health) {
        if (!home.getContentInline()) {
            return status.addAllBlock(locations(home, state.blocks(file, home), health));
        }
        return withBytes ? addInline(state, status, file) : status;
    }

    private static Status.Builder addInline(ShardState state, Status.Builder status, FileId file) {
        ByteString bytes = state.inline(file);
        return bytes == null ? status : status.setInline(bytes);
    }

    /**
     * Where the home of an entry's file is another shard, which has to complete its status as {@link #complete} would:
     * gives the status a right that this shard believes.
     */
    static void addRight(
            Rights rights,
            ShardState state,
            RequestContext context,
            Caller caller,
            EntryRecord entry,
            Sight sight,
            Status.Builder status) {
        FileId id = new FileId(entry.getFile().getFileId());
        if (isIncomplete(entry, sight) && !id.home().equals(state.id())) {
            status.setRight(rights.ofFile(caller, id, sight, context.nowMillis()));
        }
    }

    /** A file by its home alone, without content. */
    public static Status.Builder ofHome(ShardState state, FileId file, HomeRecordOrBuilder home) {
        Status.Builder status = Status.newBuilder()
                .setKind(Status.Kind.FILE)
                .setName(home.getName())
                .setId(file.value())
                .setLength(home.getLength())
                .setReplication(home.getReplication())
                .setBlockSize(home.getBlockSize())
                .setOpen(WriteLease.isOpen(state, file, home))
                .setContentVersion(home.getContentVersion())
                .setIsInline(home.getContentInline());
        status.getAttributesBuilder().setModifiedMillis(home.getModifiedMillis());
        return status;
    }

    /** Where one block is. */
    public static BlockLocation location(BlockRecord block, Generation generation, long offset) {
        return BlockLocation.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(generation.value())
                .setOffset(offset)
                .setLength(block.getLength())
                .addAllServerId(block.getServerIdList())
                .setOpen(block.getOpen())
                .build();
    }

    /** While a file is cut its last block's servers may hold more than is left of it; readers are not to ask them. */
    private static List<BlockLocation> locations(
            HomeRecord home, List<BlockRecord> blocks, @Nullable KnownHealth health) {
        boolean isCut = home.getState() == HomeRecord.State.TRUNCATING;
        List<BlockLocation> locations = new ArrayList<>(blocks.size());
        long offset = 0;
        for (BlockRecord block : blocks) {
            BlockLocation location = location(block, Generation.of(block.getGeneration()), offset);
            if (isCut) {
                locations.add(location.toBuilder().setOpen(false).build());
            } else {
                locations.add(health == null ? location : health.added(location, block, home.getReplication()));
            }
            offset += block.getLength();
        }
        return locations;
    }

    private static void fill(ShardState state, Status.Builder status, FileEntry file) {
        status.setKind(Status.Kind.FILE)
                .setId(file.getFileId())
                .setAttributes(file.getAttributes())
                .setLength(file.getLength())
                .setReplication(file.getReplication())
                .setBlockSize(file.getBlockSize())
                .setOpen(WriteLease.isOpen(state, file))
                .setIsInline(file.getContentInline())
                .setContentVersion(file.getContentVersion());
    }
}
