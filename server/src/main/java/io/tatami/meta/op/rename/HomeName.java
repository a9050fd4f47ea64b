package io.tatami.meta.op.rename;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.rename.RenameRules.End;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.protocol.wire.EntryMoved;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.OutboxDelivery;

/**
 * Makes a file's home follow its name. Messages about the name come from several shards and in any order; the highest
 * version of the name is the newest. If the file was written while its name moved, the new shard is told of that from
 * here, because the message to the old shard found nothing there.
 */
public final class HomeName {
    private HomeName() {}

    /** Tells the home of an entry that is put under a new name here. */
    static void follow(ShardState state, End destination, EntryRecord entry) {
        if (entry.hasFile()) {
            EntryMoved.Builder moved = moved(state, destination.directory(), destination.name(), entry.getFile());
            tell(
                    state,
                    moved.addAllAncestorId(destination.parent().getAncestorIdList())
                            .addAncestorId(destination.directory().value())
                            .setVersion(destination.parent().getVersion())
                            .build());
        }
    }

    /**
     * Tells the home of an entry that has come here under the name that it had elsewhere. What its lease knows of the
     * directories above may be outdated, as changes of these need not have been told here.
     */
    public static void followHere(ShardState state, DirectoryId directory, String name, EntryRecord entry) {
        if (entry.hasFile()) {
            tell(state, moved(state, directory, name, entry.getFile()).build());
        }
    }

    private static EntryMoved.Builder moved(ShardState state, DirectoryId directory, String name, FileEntry file) {
        return EntryMoved.newBuilder()
                .setFileId(file.getFileId())
                .setGroup(state.id().value())
                .setParentId(directory.value())
                .setName(name)
                .setNameVersion(file.getNameVersion())
                .setOpen(file.getOpen() || file.getUnwrittenBy() != 0)
                .setContentVersion(file.getContentVersion());
    }

    private static void tell(ShardState state, EntryMoved moved) {
        FileId id = new FileId(moved.getFileId());
        if (!id.home().equals(state.id())) {
            state.addOutbox(
                    id.home(), OutboxDelivery.newBuilder().setMoved(moved).build());
            return;
        }
        HomeRecord home = state.home(id);
        if (home != null) {
            rename(state, home, moved);
        }
    }

    /** An entry that comes from another shard, with what its home knows of the content where that is this shard. */
    public static EntryRecord current(ShardState state, EntryRecord entry) {
        FileEntry file = entry.getFile();
        FileId id = new FileId(file.getFileId());
        HomeRecord home = entry.hasFile() && id.home().equals(state.id()) ? state.home(id) : null;
        if (home == null || (!file.getOpen() && file.getContentVersion() == home.getContentVersion())) {
            return entry;
        }
        return entry.toBuilder()
                .setFile(withContent(file, HomedFile.closed(state, id, home)))
                .build();
    }

    /**
     * Takes a message about a name in another shard. Without effect for a file that is gone or has a newer name.
     *
     * <p>The shard of the name may count the file as open although it was closed before the message came. It is then
     * sent the close, also if nothing was written.
     */
    public static void apply(ShardState state, EntryMoved moved) {
        FileId file = new FileId(moved.getFileId());
        HomeRecord home = state.home(file);
        if (home == null || moved.getNameVersion() <= home.getNameVersion()) {
            return;
        }
        HomeRecord renamed = rename(state, home, moved);
        boolean isStillUnwritten =
                renamed.getState() == HomeRecord.State.UNWRITTEN && WriteLease.isOpen(state, file, renamed);
        if ((moved.getOpen() && !isStillUnwritten) || moved.getContentVersion() != home.getContentVersion()) {
            state.addOutbox(
                    new GroupId(moved.getGroup()),
                    OutboxDelivery.newBuilder()
                            .setClosed(HomedFile.closed(state, file, renamed))
                            .build());
        }
    }

    private static HomeRecord rename(ShardState state, HomeRecord home, EntryMoved moved) {
        FileId file = new FileId(moved.getFileId());
        HomeRecord renamed = home.toBuilder()
                .setEntryGroup(moved.getGroup())
                .setParentId(moved.getParentId())
                .setName(moved.getName())
                .setNameVersion(moved.getNameVersion())
                .build();
        state.putHome(file, renamed);
        LeaseRecord lease = WriteLease.of(state, file, home);
        // Without ancestors the writer's next request asks the tree. A first lease always has some.
        if (lease != null && (moved.getAncestorIdCount() > 0 || home.getState() != HomeRecord.State.UNWRITTEN)) {
            WriteLease.change(
                    state,
                    file,
                    home,
                    lease.toBuilder()
                            .clearAncestorId()
                            .addAllAncestorId(moved.getAncestorIdList())
                            .setVersion(moved.getVersion())
                            .build());
        }
        return renamed;
    }

    /** A message about the content, laid over what a name says of it. */
    public static FileEntry withContent(FileEntry file, FileClosed content) {
        FileEntry.Builder current = file.toBuilder()
                .setLength(content.getLength())
                .setContentVersion(content.getContentVersion())
                .setContentInline(content.getContentInline())
                .setOpen(content.getOpen())
                .clearUnwrittenBy();
        if (content.getModifiedMillis() != 0) {
            current.getAttributesBuilder().setModifiedMillis(content.getModifiedMillis());
        }
        return current.build();
    }
}
