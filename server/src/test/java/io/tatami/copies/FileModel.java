package io.tatami.copies;

import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What was written of one file, by one attempt after the other, and what was promised of it. An attempt is a writer
 * that has opened the file at its end; its bytes differ from those of all others at every offset.
 */
final class FileModel {
    private final String path;
    private final int blockBytes;
    private final long seed;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private FileId file = new FileId(0);
    private boolean isBegun;
    private boolean isDeleting;
    private boolean isDeleted;
    private int renewals;

    FileModel(String path, int blockBytes, long seed) {
        this.path = path;
        this.blockBytes = blockBytes;
        this.seed = seed;
    }

    /** A writer, and how far it has come: what it may have written, whatever was answered. */
    static final class Attempt {
        private final int number;
        private final long startBytes;
        private final Map<ServerId, SimServer.Fate> fates;
        private long offeredBytes;

        private Attempt(int number, long startBytes, Map<ServerId, SimServer.Fate> fates) {
            this.number = number;
            this.startBytes = startBytes;
            this.fates = fates;
            this.offeredBytes = startBytes;
        }
    }

    /** What a promise depends on. */
    enum Kind {
        /**
         * A reader saw it, and no server of the pipeline has ended since the file was opened for writing, so that each
         * has it in memory: it is there when the file is closed. Void where the writer has got a new generation: it
         * goes on from where it was acknowledged last, which may be before that.
         */
        SEEN,
        /** hflush has returned: it outlives processes. */
        FLUSHED,
        /** hsync or close has returned: it is on devices. */
        DURABLE
    }

    /**
     * So much of the file is there.
     *
     * @param pipeline the servers of the last block, and what had happened to them by then
     * @param renewals of the file's blocks by then
     */
    private record Promise(Kind kind, long lengthBytes, Map<ServerId, SimServer.Fate> pipeline, int renewals) {}

    String path() {
        return path;
    }

    int blockBytes() {
        return blockBytes;
    }

    /** The file's id; known once a writer has opened it. */
    FileId file() {
        return file;
    }

    boolean isBegun() {
        return isBegun;
    }

    /** A writer goes on at {@code startBytes}; {@code fates} tells what had happened to servers before it opened. */
    Attempt begin(FileId id, long startBytes, Map<ServerId, SimServer.Fate> fates) {
        file = id;
        isBegun = true;
        Attempt attempt = new Attempt(attempts.size(), startBytes, fates);
        attempts.add(attempt);
        return attempt;
    }

    /** Somebody deletes the file from now on: nothing is promised any more. */
    void deleting() {
        isDeleting = true;
        promises.clear();
    }

    boolean isDeleting() {
        return isDeleting;
    }

    /** The deletion was answered. */
    void deleted() {
        isDeleted = true;
    }

    boolean isDeleted() {
        return isDeleted;
    }

    /** A block has got a new generation. */
    void renewed() {
        renewals++;
    }

    int renewals() {
        return renewals;
    }

    int attempts() {
        return attempts.size();
    }

    /** From here on these bytes may be there. */
    byte[] offer(Attempt attempt, int length) {
        byte[] bytes = bytes(attempt.number, attempt.offeredBytes, length);
        attempt.offeredBytes += length;
        return bytes;
    }

    /** @param pipeline the servers of the last block, and what had happened to them by then */
    void promise(Kind kind, long lengthBytes, Map<ServerId, SimServer.Fate> pipeline) {
        if (isDeleting || (kind == Kind.SEEN && !isAllAliveSince(attempts.get(attempts.size() - 1), pipeline))) {
            return;
        }
        promises.add(new Promise(kind, lengthBytes, pipeline, renewals));
    }

    private static boolean isAllAliveSince(Attempt attempt, Map<ServerId, SimServer.Fate> pipeline) {
        return pipeline.entrySet().stream()
                .allMatch(server -> server.getValue().equals(attempt.fates.get(server.getKey())));
    }

    /**
     * So much must be there.
     *
     * @param why for a message
     */
    record Floor(long lengthBytes, String why) {}

    /**
     * How much must be there, as promised up to now and not void by what has happened since.
     *
     * @param isClosed whether the file is; of an open one the servers in front may show less than those behind
     */
    Floor floor(Map<ServerId, SimServer.Fate> now, boolean isClosed) {
        return floor(now, isClosed, promises.size());
    }

    /**
     * {@link #floor(Map, boolean)} by the first {@code made} promises alone, or all where some were forgotten since.
     */
    Floor floor(Map<ServerId, SimServer.Fate> now, boolean isClosed, int made) {
        Floor floor = new Floor(0, "nothing was promised");
        for (Promise promise : promises.subList(0, Math.min(made, promises.size()))) {
            boolean counts = isClosed || promise.kind() != Kind.SEEN;
            if (counts && promise.lengthBytes() > floor.lengthBytes() && holds(promise, now)) {
                floor = new Floor(promise.lengthBytes(), promise.toString());
            }
        }
        return floor;
    }

    /** How many promises were made. */
    int promises() {
        return promises.size();
    }

    private boolean holds(Promise promise, Map<ServerId, SimServer.Fate> now) {
        return promise.pipeline().entrySet().stream().allMatch(server -> {
            SimServer.Fate then = server.getValue();
            SimServer.Fate since = now.getOrDefault(server.getKey(), then);
            return switch (promise.kind()) {
                case SEEN -> since.equals(then) && promise.renewals() == renewals;
                case FLUSHED -> since.powerCuts() == then.powerCuts() && since.diskFailures() == then.diskFailures();
                case DURABLE -> true;
            };
        });
    }

    /**
     * Where bytes of the file's beginning are wrong; -1 for nowhere.
     *
     * @param attemptsBefore how many writers had opened the file when these bytes were asked for: what later ones wrote
     *     may be there, too
     */
    int firstWrong(byte[] read, int length, int attemptsBefore) {
        byte[] right = expected(length, attempts.size());
        byte[] before = attempts.size() == attemptsBefore ? right : expected(length, attemptsBefore);
        for (int at = 0; at < length; at++) {
            if (read[at] != right[at] && read[at] != before[at] && !isBetween(read[at], at, attemptsBefore)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isBetween(byte found, int at, int attemptsBefore) {
        for (int count = attemptsBefore + 1; count < attempts.size(); count++) {
            if (expected(at + 1, count)[at] == found) {
                return true;
            }
        }
        return false;
    }

    /** The file's beginning as it is to be now. */
    byte[] expected(int length) {
        return expected(length, attempts.size());
    }

    /** How long the file can be. */
    long offeredBytes() {
        return attempts.stream()
                .mapToLong(attempt -> attempt.offeredBytes)
                .max()
                .orElse(0);
    }

    /** Who wrote a byte that is wrong, for a message. */
    String author(byte[] read, int at) {
        for (Attempt attempt : attempts) {
            if (read[at] == bytes(attempt.number, at, 1)[0]) {
                return "writer " + attempt.number + ", who began at " + attempt.startBytes;
            }
        }
        return "nobody";
    }

    /** The file's beginning as the first {@code count} writers wrote it: each from where it began. */
    private byte[] expected(int length, int count) {
        byte[] expected = new byte[length];
        for (Attempt attempt : attempts.subList(0, count)) {
            if (attempt.startBytes < length) {
                int start = (int) attempt.startBytes;
                byte[] part = bytes(attempt.number, start, length - start);
                System.arraycopy(part, 0, expected, start, part.length);
            }
        }
        return expected;
    }

    /** Never equal for two of 16 attempts at the same offset. */
    private byte[] bytes(int attempt, long offset, int length) {
        byte[] bytes = new byte[length];
        long word = 0;
        for (int i = 0; i < length; i++) {
            long at = offset + i;
            if (i == 0 || at % Long.BYTES == 0) {
                word = mixed(seed + at / Long.BYTES);
            }
            int drawn = (int) (word >>> (at % Long.BYTES * Byte.SIZE));
            int low = (drawn + attempt) & 0xf;
            bytes[i] = (byte) ((drawn & 0xf0) | low);
        }
        return bytes;
    }

    private static long mixed(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
