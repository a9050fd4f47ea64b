package io.tatami.meta.op.file;

import io.tatami.base.Detail;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
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
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A name in a directory, reached through a fresh handle by a caller who may pass through the directory.
 *
 * @param caller whose request it is, whom the handle was made for
 */
public record ResolvedName(Handle handle, DirectoryId directory, String name, Caller caller) {
    static final int NAME_BYTES_MAX = 255;

    /**
     * @throws TatamiException the handle is stale or another's, the caller may not pass through the directory, or the
     *     name is none or belongs to another shard
     * @throws UnsettledException the directory is being widened, and the name has not arrived here
     */
    public static ResolvedName reach(
            HandleCheck handles, ShardState state, RequestContext context, SignedHandle signed, String name)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = reachDirectory(handles, state, context, signed, Access.EXECUTE, name);
        resolved.requireName(state.group());
        Arrivals.requireHere(state, resolved.handle(), name);
        return resolved;
    }

    /** The directory itself, with what {@code access} tells of {@link Access}. */
    static ResolvedName reachDirectory(
            HandleCheck handles, ShardState state, RequestContext context, SignedHandle signed, int access, String name)
            throws TatamiException {
        Handle handle = handles.fresh(state, context, signed);
        Caller caller = context.caller();
        Access.require(caller, handle.getAttributes(), access, Subject.PARENT);
        return new ResolvedName(handle, new DirectoryId(handle.getDirectoryId()), name, caller);
    }

    /**
     * The same directory under another name of it.
     *
     * @throws TatamiException UNSUPPORTED where the name belongs to another shard, as not all need to in a wide
     *     directory
     */
    public ResolvedName sibling(ShardState state, String other) throws TatamiException, UnsettledException {
        ResolvedName resolved = new ResolvedName(handle, directory, other, caller);
        if (!Arrivals.isOwnedHere(state, directory, other, handle.getSpread())) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, other + " is in another shard than " + name);
        }
        resolved.requireName(state.group());
        Arrivals.requireHere(state, handle, other);
        return resolved;
    }

    /** @throws TatamiException PERMISSION_DENIED where the caller may not add or remove names here */
    public void requireWritableDirectory() throws TatamiException {
        Access.require(caller, handle.getAttributes(), Access.WRITE, Subject.PARENT);
    }

    /**
     * @throws TatamiException PERMISSION_DENIED where the directory is sticky and the caller may not take the entry
     *     away
     */
    public void requireSticky(Attributes entry) throws TatamiException {
        Access.requireSticky(caller, handle.getAttributes(), Subject.PARENT, entry, Subject.entry(name));
    }

    /**
     * What a reader finds; null for nothing.
     *
     * @throws UnsettledException it is leaving for another shard, and may be gone already
     */
    @Nullable
    EntryRecord standing(ShardState state) throws UnsettledException {
        EntryRecord record = state.entry(directory, name);
        MoveMarks.requireReadable(directory, name, record);
        return MoveMarks.standing(record);
    }

    /**
     * What a writer finds; null for nothing. A directory's marker is given only once the tree has said that there is
     * such a directory.
     *
     * @throws UnsettledException a move is under way, or the tree has to be asked
     */
    @Nullable
    public EntryRecord settled(ShardState state, RequestContext context) throws UnsettledException {
        EntryRecord record = state.entry(directory, name);
        MoveMarks.requireSettled(directory, name, record);
        EntryRecord entry = MoveMarks.standing(record);
        if (entry != null && entry.hasMarker()) {
            Markers.requireTrue(context, directory, name, entry.getMarker());
        }
        return entry;
    }

    /** The file that a writer finds, which the caller may access as {@code access} tells. */
    public EntryRecord settledFile(ShardState state, RequestContext context, int access)
            throws TatamiException, UnsettledException {
        EntryRecord entry = settled(state, context);
        FileEntry file = requireFile(entry);
        Access.require(caller, file.getAttributes(), access, Subject.entry(name));
        return requirePresent(entry);
    }

    /** @throws TatamiException NOT_FOUND, IS_A_DIRECTORY or UNRESOLVED_LINK where the entry is no file */
    FileEntry requireFile(@Nullable EntryRecord entry) throws TatamiException {
        EntryRecord present = requirePresent(entry);
        if (present.hasMarker()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: " + name);
        }
        if (present.hasSymlink()) {
            throw unresolvedLink(present);
        }
        return present.getFile();
    }

    EntryRecord requirePresent(@Nullable EntryRecord entry) throws TatamiException {
        if (entry == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + name);
        }
        return entry;
    }

    public TatamiException unresolvedLink(EntryRecord entry) {
        return new TatamiException(
                ErrorCode.UNRESOLVED_LINK,
                name + " is a symlink",
                new Detail.LinkTarget(entry.getSymlink().getTarget()));
    }

    /** Gives the name a new meaning. */
    public void put(ShardState state, EntryRecord after, long nowMillis) {
        state.entries().changeName(directory, name, after, nowMillis);
        Arrivals.noteChange(state, handle);
    }

    /** Takes the name away; what it stood for is the caller's to remove. */
    public void remove(ShardState state, long nowMillis) {
        state.entries().changeName(directory, name, null, nowMillis);
    }

    public static boolean isHomeHere(ShardState state, FileEntry entry) {
        return new FileId(entry.getFileId()).home().equals(state.id());
    }

    /** @throws TatamiException BUSY where the file's home is another shard: who asked must look again */
    public HomedFile requireHomed(ShardState state, EntryRecord entry) throws TatamiException {
        FileId id = new FileId(entry.getFile().getFileId());
        if (!isHomeHere(state, entry.getFile())) {
            throw new TatamiException(ErrorCode.BUSY, name + " was replaced by a file whose home is " + id.home());
        }
        HomedFile file = HomedFile.find(state, id);
        if (file == null) {
            throw new IllegalStateException(name + " stands for " + id + ", which has no record at its home");
        }
        return file;
    }

    private void requireName(GroupRecord group) throws TatamiException {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > NAME_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG,
                    "The maximum path component name limit of " + name.substring(0, NAME_BYTES_MAX / 3)
                            + "... is exceeded: limit=" + NAME_BYTES_MAX
                            + " length=" + utf8.length);
        }
        if (name.isEmpty()
                || name.equals(".")
                || name.equals("..")
                || name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid file name: \"" + name + "\"");
        }
        GroupId owner = Placement.shardOf(directory, utf8, Math.max(1, handle.getSpread()), group.getShards());
        if (owner.value() != group.getGroup()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, name + " belongs to " + owner + ", not to shard " + group.getGroup());
        }
    }
}
