package io.tatami.client;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.SafeModeRequest;
import java.util.List;
import java.util.UUID;

/**
 * One user's access to one cluster. Safe for use by many threads; all methods may block, for at most the operation
 * timeout while the cluster cannot serve.
 *
 * <p>Failures are {@link TatamiException}s whose codes and messages are those of the metadata service. For every method
 * with a path: NOT_FOUND where it or a directory above it is not there, NOT_A_DIRECTORY where a name above it is a file,
 * PERMISSION_DENIED, and {@link UnresolvedLinkException} where the path leads through a symlink, or ends in one and the
 * method acts on what links lead to. Each change is done once and at once, whatever is sent twice underneath: after a
 * failure it was not done, except that UNAVAILABLE, DEADLINE_EXCEEDED and CANCELLED leave open whether it was.
 */
public interface TatamiClient extends AutoCloseable {
    /**
     * A client of the cluster that answers at {@code authority}.
     *
     * @param authority {@code host:port} of any metadata server, several with commas between, or a name that the settings
     *     resolve; the port may be left out
     * @throws TatamiException INVALID_ARGUMENT for a bad authority or setting; UNAVAILABLE, naming the addresses, when no
     *     server answers in time
     */
    static TatamiClient connect(String authority, UserIdentity user, Settings settings) throws TatamiException {
        throw new TatamiException(io.tatami.base.ErrorCode.UNSUPPORTED, "not built: " + authority + user + settings);
    }

    UserIdentity user();

    ClientSettings settings();

    UUID clusterId();

    /** An operation on a path, for {@link #following}. */
    @FunctionalInterface
    interface PathOperation<T> {
        T on(TatamiPath path) throws TatamiException;
    }

    /**
     * Does {@code operation} on {@code path}, and again on where symlinks lead, while they stay within the cluster (have no
     * scheme) and are at most 32.
     *
     * @throws TatamiException PATH_TOO_LONG after 32 links; what the operation throws, {@link UnresolvedLinkException} for
     *     a link with a scheme included
     */
    <T> T following(TatamiPath path, PathOperation<T> operation) throws TatamiException;

    /**
     * What a path stands for.
     *
     * @param followLast whether a symlink at the end raises {@link UnresolvedLinkException}; otherwise its own status is
     *     told
     */
    PathStatus status(TatamiPath path, boolean followLast) throws TatamiException;

    /**
     * The entries of a directory; of a file, only the file itself. Everything that can be refused is refused here, before
     * the first entry.
     *
     * @param withLocations whether files come with {@link PathStatus#blocks}
     */
    DirectoryListing list(TatamiPath path, boolean withLocations) throws TatamiException;

    /**
     * Makes a directory; nothing is changed unless all of it can be.
     *
     * @param createParents whether missing parents are made too, in the same step
     * @return false where the directory was there already
     * @throws TatamiException ALREADY_EXISTS where a file has the name, NOT_A_DIRECTORY where one is on the way
     */
    boolean mkdirs(TatamiPath path, CreateModes modes, boolean createParents) throws TatamiException;

    /**
     * Creates a file and opens it for writing.
     *
     * @throws TatamiException ALREADY_EXISTS, IS_A_DIRECTORY, LEASE_HELD where somebody writes the file to be replaced
     */
    FileWriter create(TatamiPath path, CreateSpec spec) throws TatamiException;

    /**
     * Opens an existing file for writing at its end.
     *
     * @param newBlock begin a new block even where the last one is not full
     * @throws TatamiException IS_A_DIRECTORY, LEASE_HELD
     */
    FileWriter append(TatamiPath path, boolean newBlock) throws TatamiException;

    /** @throws TatamiException IS_A_DIRECTORY */
    FileReader open(TatamiPath path, ReadPolicy policy) throws TatamiException;

    /**
     * Opens a file by its id, wherever it was moved to.
     *
     * @param path under which its status is told
     */
    FileReader open(FileId file, TatamiPath path, ReadPolicy policy) throws TatamiException;

    /**
     * Renames a file, directory or symlink to exactly {@code destination}, in one step.
     *
     * @param overwrite whether a file or an empty directory at the destination is replaced by one of its kind
     * @throws TatamiException ALREADY_EXISTS; with {@code overwrite} IS_A_DIRECTORY, NOT_A_DIRECTORY and NOT_EMPTY;
     *     INVALID_ARGUMENT for the root and for a directory into itself
     */
    void rename(TatamiPath source, TatamiPath destination, boolean overwrite) throws TatamiException;

    /**
     * Deletes a file, symlink or directory.
     *
     * @param recursive whether a directory is deleted with all below it
     * @return false where the path is not there
     * @throws TatamiException NOT_EMPTY; INVALID_ARGUMENT for the root
     */
    boolean delete(TatamiPath path, boolean recursive) throws TatamiException;

    /**
     * Deletes files and empty directories, each for itself; a path that is not there is no failure. Files take one round
     * trip to each shard concerned.
     *
     * @return what could not be deleted
     */
    List<BulkDeleteFailure> bulkDelete(List<TatamiPath> paths) throws TatamiException;

    /** Changes what {@code change} has, of a file or directory. */
    void setAttributes(TatamiPath path, AttributeChange change) throws TatamiException;

    /**
     * Cuts a closed file.
     *
     * @return false where the last block is still being cut, until which the file cannot be written
     * @throws TatamiException INVALID_ARGUMENT for a length beyond the file's, IS_A_DIRECTORY, LEASE_HELD
     */
    boolean truncate(TatamiPath path, long lengthBytes) throws TatamiException;

    /**
     * Moves the blocks of {@code sources} to the end of {@code target}, and the sources are gone.
     *
     * @throws TatamiException INVALID_ARGUMENT where a source lies in another directory, is the target, or comes twice
     */
    void concat(TatamiPath target, List<TatamiPath> sources) throws TatamiException;

    /**
     * Makes {@code link} stand for {@code target}.
     *
     * @param target kept as it is: relative, absolute or with a scheme
     * @param createParents as in {@link CreateSpec}
     */
    void createSymlink(TatamiPath link, String target, boolean createParents) throws TatamiException;

    ContentTotals contentTotals(TatamiPath path) throws TatamiException;

    /**
     * Takes the write lease from whoever has it and closes the file.
     *
     * @return whether it is closed now; else recovery goes on in the background
     */
    boolean recoverLease(TatamiPath path) throws TatamiException;

    /** Whether nobody writes the file. */
    boolean isClosed(TatamiPath path) throws TatamiException;

    /** Does {@code action} and tells whether the cluster is in safe mode then. */
    boolean safeMode(SafeModeRequest.Action action) throws TatamiException;

    /** The blocks of a file that have bytes in a range, in order. */
    List<LocatedBlock> blockLocations(TatamiPath path, long offsetBytes, long lengthBytes) throws TatamiException;

    /** The blocks of a status that came with locations; as {@link #blockLocations} for the whole file. */
    List<LocatedBlock> blockLocations(PathStatus status);

    /**
     * The checksum of a file's first bytes, from the checksums its servers store.
     *
     * @param lengthBytesMax where the file is longer, only so much of it counts
     */
    FileChecksum checksum(TatamiPath path, long lengthBytesMax) throws TatamiException;

    /** Never fails because some group does not answer: its state tells so. */
    ClusterStatus clusterStatus() throws TatamiException;

    /** Checks every entry and block record at and below a path; only for the superuser. */
    FsckReport fsck(TatamiPath path) throws TatamiException;

    /** Ends the session; files still open are given up as by {@link FileWriter#abort}. */
    @Override
    void close();
}
