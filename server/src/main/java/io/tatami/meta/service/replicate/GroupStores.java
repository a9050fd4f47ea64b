package io.tatami.meta.service.replicate;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The stores of a server's groups, a directory each. While the server is new they are made, over whatever a start that
 * did not get so far has left; later they are only opened, because an empty store in place of a lost one would be a
 * loss that nobody notices.
 */
public record GroupStores(Path directory, Identity identity) {
    private static final byte[] GROUP = Keys.singleton("group");

    /**
     * A group that only this server holds, open.
     *
     * @param log has applied to the store what that lacked
     */
    record Local(GroupStore store, LocalLog log) implements AutoCloseable {
        @Override
        public void close() {
            log.close();
            store.close();
        }
    }

    /**
     * Of a group that only this server holds. The caller closes what this opens.
     *
     * @param logFileBytes see {@link LocalLog#FILE_BYTES}
     */
    Local open(GroupRecord group, StoreMemory memory, long logFileBytes) throws TatamiException {
        GroupId id = new GroupId(group.getGroup());
        Path path = path(id);
        boolean isNew = !identity.made();
        if (isNew) {
            removeRemains(path);
        } else {
            requireStore(id);
        }
        GroupStore store = isNew ? GroupStore.create(path, memory) : GroupStore.open(path, memory);
        LocalLog log;
        try {
            CrashPoint.hit("meta.format.store-made");
            requireReadable(id, store);
            log = new LocalLog(new LocalLog.Location(path, identity.cluster(), id), store, logFileBytes);
        } catch (TatamiException | RuntimeException e) {
            store.close();
            throw e;
        }
        Local local = new Local(store, log);
        try {
            if (isNew) {
                log.commit(beginning(group, store));
                CrashPoint.hit("meta.format.group-recorded");
            } else if (!isBegun(store)) {
                throw new TatamiException(ErrorCode.CORRUPT, path + " does not contain a group of Tatami");
            }
            bringUp(store, log);
            return local;
        } catch (TatamiException | RuntimeException e) {
            local.close();
            throw e;
        }
    }

    /** Has a store of an older format refuse the releases that would not look into its log. */
    private static void bringUp(GroupStore store, LocalLog log) throws TatamiException {
        GroupRecord stored =
                Records.parse(Objects.requireNonNull(store.liveView().get(GROUP)), GroupRecord.parser());
        if (stored.getFormatVersion() < Identity.GROUP_FORMAT_VERSION) {
            GroupRecord newer = stored.toBuilder()
                    .setFormatVersion(Identity.GROUP_FORMAT_VERSION)
                    .build();
            Draft draft = new Draft(store.liveView());
            draft.put(GROUP, newer.toByteArray());
            log.commit(new LogEntry(store.appliedIndex() + 1, store.logMillis(), draft.changes()));
            store.flush();
        }
    }

    /** What a group begins with: the first entry of its log, over a store that has nothing. */
    static LogEntry beginning(GroupRecord group, GroupStore empty) {
        Draft draft = new Draft(empty.liveView());
        draft.put(GROUP, group.toByteArray());
        return new LogEntry(1, 0, draft.changes());
    }

    /** Whether a store holds what its group began with. */
    static boolean isBegun(GroupStore store) {
        return store.liveView().get(GROUP) != null;
    }

    /** @throws TatamiException CORRUPT where the store of a group that was served is gone */
    void requireStore(GroupId group) throws TatamiException {
        if (!Files.exists(path(group).resolve("CURRENT"))) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the store of " + group + " is missing in " + directory
                            + ". It is not created again, because its data"
                            + " would be lost unnoticed: restore it from a backup");
        }
    }

    Path path(GroupId group) {
        return directory.resolve(group.toString());
    }

    /**
     * Refuses a group whose records mean something else.
     *
     * @throws TatamiException FORMAT_TOO_OLD or FORMAT_TOO_NEW, which name what to do
     */
    static void requireReadable(GroupId id, GroupStore store) throws TatamiException {
        byte[] stored = store.liveView().get(GROUP);
        int version = stored == null
                ? Identity.GROUP_FORMAT_VERSION
                : Records.parse(stored, GroupRecord.parser()).getFormatVersion();
        if (version < Identity.GROUP_FORMAT_OLDEST) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_OLD,
                    "the store of " + id + " has format version " + version + "; the oldest this release reads is "
                            + Identity.GROUP_FORMAT_OLDEST
                            + ": serve it with the release that wrote it, or format a new cluster and copy the files");
        }
        if (version > Identity.GROUP_FORMAT_VERSION) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_NEW,
                    "the store of " + id + " has format version " + version + "; the newest this release reads is "
                            + Identity.GROUP_FORMAT_VERSION + ": serve it with a newer release");
        }
    }

    private static void removeRemains(Path path) throws TatamiException {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot remove temporary files of a start in " + path, e);
        }
    }
}
