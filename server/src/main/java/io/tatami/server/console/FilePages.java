package io.tatami.server.console;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpJson;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/**
 * The file system, as {@code tatami.http.user} may see it. One question at a time goes to the cluster, so that the
 * port's other thread answers supervisors whatever the cluster does; another one meanwhile is refused with BUSY.
 */
final class FilePages {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
    private static final int ENTRIES_MAX = 1_000;
    private static final int BLOCKS_MAX = 1_000;
    private static final int LOOKED_AT_MAX = 10_000;
    private static final int OPEN_MAX = 200;

    private final LazyClient client;
    private final Clock clock;
    private final Semaphore turn;

    /** @param next the name to continue after; empty where these are all */
    record Directory(String path, List<Entry> entries, String next) {}

    /** @param mode permission bits and the sticky bit, in octal */
    record Entry(
            String name,
            String kind,
            String owner,
            String group,
            String mode,
            boolean hasAcl,
            long length,
            int copies,
            long modifiedMillis,
            boolean isOpen,
            boolean isInline,
            String linkTarget) {
        static Entry of(PathStatus status) {
            return new Entry(
                    status.path().name(),
                    kind(status),
                    status.owner(),
                    status.group(),
                    Integer.toOctalString(status.mode()),
                    !status.acl().isEmpty(),
                    status.lengthBytes(),
                    status.replication(),
                    status.modifiedMillis(),
                    status.isOpen(),
                    status.isInline(),
                    status.symlinkTarget());
        }

        private static String kind(PathStatus status) {
            return status.isDirectory() ? "directory" : status.isSymlink() ? "link" : "file";
        }
    }

    /** @param blocksInAll of which {@code blocks} are those from {@code firstBlock} on */
    record File(String path, Entry entry, long blockSize, int blocksInAll, int firstBlock, List<Block> blocks) {}

    /** @param id empty where the bytes are with the metadata */
    record Block(String id, long offset, long length, boolean isOpen, boolean isUnreadable, List<Copy> copies) {}

    /** A copy of a block. */
    record Copy(String server, String address, String rack, String storageType, boolean isAlive, boolean isBad) {}

    /** @param isComplete whether everything below was looked at */
    record OpenFiles(String path, List<OpenFile> files, int lookedAt, boolean isComplete) {}

    /** @param unchangedMillis since its time of modification */
    record OpenFile(String path, String owner, long length, long unchangedMillis) {}

    /**
     * Everything at and below a directory.
     *
     * @param bytes of all files
     * @param spaceBytes those times the copies that the files ask for
     */
    record Totals(String path, long bytes, long spaceBytes, long files, long directories) {}

    /**
     * @param client in the name of the user whose rights decide
     * @param turn of the one question that the cluster is asked at a time
     */
    FilePages(LazyClient client, Clock clock, Semaphore turn) {
        this.client = client;
        this.clock = clock;
        this.turn = turn;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/api/files", Right.READ, question -> inTurn(question, this::directory))
                .get("/api/file", Right.READ, question -> inTurn(question, FilePages::file))
                .get("/api/open-files", Right.READ, question -> inTurn(question, this::openFiles))
                .get("/api/totals", Right.READ, question -> inTurn(question, FilePages::totals));
    }

    /** Answers a question about a path. */
    @FunctionalInterface
    private interface OfPath {
        Object answer(TatamiClient client, TatamiPath path, HttpQuestion question) throws TatamiException;
    }

    private HttpAnswer inTurn(HttpQuestion question, OfPath answer) throws TatamiException {
        TatamiPath path = TatamiPath.of(question.parameter("path").orElse("/"));
        if (!turn.tryAcquire()) {
            throw new TatamiException(ErrorCode.BUSY, "another question to the cluster is being answered; ask again");
        }
        try {
            SideBySide.Answer<TatamiPath, Object> told = SideBySide.ask(
                            List.of(path), ANSWER_TIMEOUT, at -> answer.answer(client.get(), at, question))
                    .get(0);
            TatamiException failure = told.failure();
            if (failure != null) {
                throw failure;
            }
            return HttpJson.of(Objects.requireNonNull(told.value()));
        } finally {
            turn.release();
        }
    }

    private Object directory(TatamiClient files, TatamiPath path, HttpQuestion question) throws TatamiException {
        PathStatus status = files.status(path, false);
        if (!status.isDirectory()) {
            throw new TatamiException(ErrorCode.NOT_A_DIRECTORY, path + " is no directory");
        }
        DirectoryListing listing =
                files.listAfter(path, question.parameter("after").orElse(""));
        List<Entry> entries = new ArrayList<>();
        while (entries.size() < ENTRIES_MAX && listing.hasNext()) {
            entries.add(Entry.of(listing.next()));
        }
        String next = entries.size() == ENTRIES_MAX && listing.hasNext()
                ? entries.get(entries.size() - 1).name()
                : "";
        return new Directory(path.toString(), entries, next);
    }

    private static Object file(TatamiClient files, TatamiPath path, HttpQuestion question) throws TatamiException {
        PathStatus status = files.status(path, false);
        if (!status.isFile()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, path + " is no file");
        }
        String first = question.parameter("block").orElse("0");
        if (!first.matches("\\d{1,9}")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, first + " is no number of a block");
        }
        List<LocatedBlock> all = files.blockLocations(path, 0, Long.MAX_VALUE);
        int from = Math.min(Integer.parseInt(first), all.size());
        List<Block> page = all.subList(from, Math.min(from + BLOCKS_MAX, all.size())).stream()
                .map(FilePages::block)
                .toList();
        return new File(path.toString(), Entry.of(status), status.blockSizeBytes(), all.size(), from, page);
    }

    private static Block block(LocatedBlock block) {
        return new Block(
                block.block().equals(BlockId.NONE) ? "" : block.block().toString(),
                block.offsetBytes(),
                block.lengthBytes(),
                block.open(),
                block.unreadable(),
                block.holders().stream().map(FilePages::copy).toList());
    }

    private static Copy copy(LocatedBlock.Holder holder) {
        return new Copy(
                Integer.toString(holder.server().value()),
                holder.host() + ":" + holder.port(),
                holder.rack(),
                holder.storageType(),
                holder.alive(),
                holder.bad());
    }

    /** Directories that the user may not read are passed over, and then the answer is not complete. */
    private Object openFiles(TatamiClient files, TatamiPath path, HttpQuestion question) throws TatamiException {
        Deque<TatamiPath> waiting = new ArrayDeque<>(List.of(path));
        List<OpenFile> open = new ArrayList<>();
        int lookedAt = 0;
        boolean isComplete = true;
        while (!waiting.isEmpty() && lookedAt < LOOKED_AT_MAX && open.size() < OPEN_MAX) {
            TatamiPath directory = waiting.removeFirst();
            try {
                DirectoryListing listing = files.list(directory, false);
                while (lookedAt < LOOKED_AT_MAX && open.size() < OPEN_MAX && listing.hasNext()) {
                    PathStatus entry = listing.next();
                    lookedAt++;
                    if (entry.isDirectory()) {
                        waiting.addLast(entry.path());
                    } else if (entry.isOpen()) {
                        open.add(openFile(entry));
                    }
                }
                isComplete &= !listing.hasNext();
            } catch (TatamiException e) {
                if (directory.equals(path)
                        || (e.code() != ErrorCode.PERMISSION_DENIED && e.code() != ErrorCode.NOT_FOUND)) {
                    throw e;
                }
                isComplete = false;
            }
        }
        return new OpenFiles(path.toString(), open, lookedAt, isComplete && waiting.isEmpty());
    }

    private OpenFile openFile(PathStatus entry) {
        long unchanged = Math.max(0, clock.wallMillis() - entry.modifiedMillis());
        return new OpenFile(entry.path().toString(), entry.owner(), entry.lengthBytes(), unchanged);
    }

    private static Object totals(TatamiClient files, TatamiPath path, HttpQuestion question) throws TatamiException {
        ContentTotals totals = files.contentTotals(path);
        return new Totals(
                path.toString(), totals.lengthBytes(), totals.spaceBytes(), totals.files(), totals.directories());
    }
}
