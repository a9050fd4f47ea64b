package io.tatami.meta.op.rename;

import io.tatami.base.Detail;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Markers;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import org.jspecify.annotations.Nullable;

/** What a rename of a file may do, as HDFS has it; the same within a shard and across two. */
public final class RenameRules {
    private final HandleCheck handles;

    RenameRules(HandleCheck handles) {
        this.handles = handles;
    }

    /**
     * One end of a rename: a directory that the caller may write to, and a name in it.
     *
     * @param end SOURCE or DESTINATION
     */
    record End(Handle parent, DirectoryId directory, String name, RequestDirectory end) {
        private Subject subject() {
            return Subject.entry(end, name);
        }

        /** @param message names this end by its name alone; the client tells its path */
        TatamiException refused(ErrorCode code, String message) {
            return new TatamiException(code, message, subject().what(), Detail.NONE, null);
        }

        /** The shard that owns the name. */
        GroupId owner(int shards) {
            return Placement.shardOf(directory, name, Math.max(1, parent.getSpread()), shards);
        }
    }

    /** Both ends of a rename, checked against this shard's gate. */
    record Ends(End source, End destination) {
        boolean sameName() {
            return source.directory().equals(destination.directory())
                    && source.name().equals(destination.name());
        }
    }

    /**
     * @throws TatamiException STALE_HANDLE; PERMISSION_DENIED where the caller may not write to both directories;
     *     STALE_HANDLE also where the destination's name belongs to another shard
     * @throws UnsettledException a directory is being widened, and a name of this shard has not arrived here
     */
    Ends ends(ShardState state, RequestContext context, RenameFileRequest request)
            throws TatamiException, UnsettledException {
        End source = end(state, context, request.getSourceHandle(), request.getSourceName(), RequestDirectory.SOURCE);
        End destination = end(
                state,
                context,
                request.getDestinationHandle(),
                request.getDestinationName(),
                RequestDirectory.DESTINATION);
        if (!destination.owner(state.group().getShards()).equals(state.id())) {
            throw destination.refused(ErrorCode.STALE_HANDLE, destination.name() + " belongs to another shard");
        }
        Arrivals.requireHere(state, destination.parent(), destination.name());
        if (source.owner(state.group().getShards()).equals(state.id())) {
            Arrivals.requireHere(state, source.parent(), source.name());
        }
        return new Ends(source, destination);
    }

    /** The source's end where another shard, the destination, asks on behalf of a caller. */
    End sourceFromPeer(ShardState state, RequestContext context, Caller caller, SignedHandle handle, String name)
            throws TatamiException, UnsettledException {
        Handle parent = handles.fresh(state, context, caller, handle);
        End source = writable(caller, parent, name, RequestDirectory.SOURCE);
        if (!source.owner(state.group().getShards()).equals(state.id())) {
            throw source.refused(ErrorCode.STALE_HANDLE, source.name() + " belongs to another shard");
        }
        Arrivals.requireHere(state, parent, name);
        return source;
    }

    private End end(ShardState state, RequestContext context, SignedHandle handle, String name, RequestDirectory which)
            throws TatamiException {
        return writable(context.caller(), handles.fresh(state, context, handle), name, which);
    }

    private static End writable(Caller caller, Handle parent, String name, RequestDirectory which)
            throws TatamiException {
        End end = new End(parent, new DirectoryId(parent.getDirectoryId()), name, which);
        if (name.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "a rename needs a source name and a destination name");
        }
        // One after the other, as the one may be by another group's grant than the other.
        Access.require(caller, parent.getAttributes(), Access.EXECUTE, Subject.directory(which));
        Access.require(caller, parent.getAttributes(), Access.WRITE, Subject.directory(which));
        return end;
    }

    /**
     * The entry that is to get another name.
     *
     * @param destinationPath as the request has it
     * @throws TatamiException about the source: NOT_FOUND; IS_A_DIRECTORY, also for a marker in doubt, as the tree has
     *     to do the rename; PERMISSION_DENIED by the sticky bit; ALREADY_EXISTS for a symlink that leads to the
     *     destination, whether anything is there or not
     */
    static EntryRecord movable(Caller caller, End source, @Nullable EntryRecord record, String destinationPath)
            throws TatamiException {
        EntryRecord entry = MoveMarks.standing(record);
        if (entry == null) {
            throw source.refused(ErrorCode.NOT_FOUND, "rename source " + source.name() + " is not found");
        }
        if (entry.hasMarker()) {
            throw source.refused(ErrorCode.IS_A_DIRECTORY, source.name() + " is a directory");
        }
        requireSticky(caller, source, entry);
        if (entry.hasSymlink() && entry.getSymlink().getTarget().equals(destinationPath)) {
            throw source.refused(ErrorCode.ALREADY_EXISTS, source.name() + " is a symlink to the rename destination");
        }
        return entry;
    }

    /**
     * What the rename replaces, or null.
     *
     * @throws TatamiException about the destination: ALREADY_EXISTS; IS_A_DIRECTORY; PERMISSION_DENIED by the sticky
     *     bit
     * @throws UnsettledException a marker is in the way of which it is not sure that the tree knows it
     */
    static @Nullable EntryRecord replaceable(
            RequestContext context, End destination, @Nullable EntryRecord record, boolean overwrite)
            throws TatamiException, UnsettledException {
        EntryRecord entry = MoveMarks.standing(record);
        if (entry == null) {
            return null;
        }
        if (entry.hasMarker()) {
            throw directoryInTheWay(context, destination, entry);
        }
        if (!overwrite) {
            throw destination.refused(
                    ErrorCode.ALREADY_EXISTS, "rename destination " + destination.name() + " already exists");
        }
        requireSticky(context.caller(), destination, entry);
        return entry;
    }

    private static void requireSticky(Caller caller, End end, EntryRecord entry) throws TatamiException {
        Access.requireSticky(
                caller, end.parent().getAttributes(), Subject.directory(end.end()), attributesOf(entry), end.subject());
    }

    private static TatamiException directoryInTheWay(RequestContext context, End destination, EntryRecord entry)
            throws UnsettledException {
        Markers.requireTrue(context, destination.directory(), destination.name(), entry.getMarker());
        return destination.refused(
                ErrorCode.IS_A_DIRECTORY, "rename destination " + destination.name() + " is a directory");
    }

    /** Owner, mode and times of a file or symlink. */
    public static Attributes attributesOf(EntryRecord entry) {
        return entry.hasFile()
                ? entry.getFile().getAttributes()
                : entry.getSymlink().getAttributes();
    }

    /** The entry without the marks of a move. */
    static EntryRecord unmarked(EntryRecord entry) {
        return entry.toBuilder()
                .clearLeavingTransaction()
                .clearLeavingToGroup()
                .clearLeavingMark()
                .clearArrivingTransaction()
                .build();
    }

    /** The entry under its new name: no marks of a move on it, and a newer name than the home knows. */
    public static EntryRecord renamed(EntryRecord entry) {
        EntryRecord.Builder renamed = unmarked(entry).toBuilder();
        if (entry.hasFile()) {
            renamed.getFileBuilder().setNameVersion(entry.getFile().getNameVersion() + 1);
        }
        return renamed.build();
    }
}
