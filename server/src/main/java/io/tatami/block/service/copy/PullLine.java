package io.tatami.block.service.copy;

import io.tatami.base.ServerId;
import io.tatami.block.device.Device;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pulls onto one volume: those that wait, urgent ones first, how many run, and those that wait for a flush. Urgent
 * ones have as many places again, in the queues and beside those that run, so that no others hold them up. Its user
 * guards it.
 *
 * <p>A pull of a long block takes a place of its own. Pulls of short blocks share places, as each spends most of its
 * time waiting for its source: so many questions are with the sources at once that these are never idle. All that is
 * received of the short blocks in a place is not more than a unit, which is less than one long block holds. The sources
 * take turns, and short blocks of one source take half of the places at most: a source that is silent holds up no short
 * block of another one. Long blocks and the queue are not divided by sources.
 */
final class PullLine {
    private static final long PLACE_BYTES = Device.UNIT_BYTES;
    private static final int IN_A_PLACE_MAX = 8;

    private final long placesBytes;
    private final int queuedMax;
    private final FinishQueue filled;
    private final WritePlaces writePlaces;
    private final Kind urgent = new Kind();
    private final Kind others = new Kind();

    /**
     * @param places of pulls that run at once; twice as many with urgent ones
     * @param queuedMax pulls of each kind that wait
     * @param batchMax copies that are finished together
     * @param writeBuffers of the volume: a quarter of them is for writing short blocks of each kind, but no fewer than
     *     {@code places}
     */
    PullLine(int places, int queuedMax, int batchMax, int writeBuffers) {
        this.placesBytes = places * PLACE_BYTES;
        this.queuedMax = queuedMax;
        this.filled = new FinishQueue(batchMax);
        this.writePlaces = new WritePlaces(Math.max(places, writeBuffers / 4));
    }

    /** The pulls of one kind. */
    private static final class Kind {
        /** By source, in the order of their turns; none is empty. */
        private final Map<ServerId, Deque<Pull>> waiting = new LinkedHashMap<>();

        /** What short ones that run take of the places, by source. */
        private final Map<ServerId, Long> shortBytes = new HashMap<>();

        private int queued;
        private long queuedBytes;
        private int running;
        private long runningBytes;

        void add(Pull pull) {
            waiting.computeIfAbsent(source(pull), source -> new ArrayDeque<>()).add(pull);
            queued++;
            queuedBytes += pull.lengthBytes();
        }

        boolean remove(Pull pull) {
            Deque<Pull> line = waiting.get(source(pull));
            if (line == null || !line.remove(pull)) {
                return false;
            }
            if (line.isEmpty()) {
                waiting.remove(source(pull));
            }
            queued--;
            queuedBytes -= pull.lengthBytes();
            return true;
        }

        /** The pull whose turn it is; null where none waits, or each is of a source that has its part of the places. */
        @Nullable
        Pull first(long shortBytesMax) {
            for (Map.Entry<ServerId, Deque<Pull>> line : waiting.entrySet()) {
                Pull pull = line.getValue().element();
                if (!pull.isShort() || shortBytes.getOrDefault(line.getKey(), 0L) + placeBytes(pull) <= shortBytesMax) {
                    return pull;
                }
            }
            return null;
        }

        /** Its source has had its turn. */
        void begin(Pull pull) {
            ServerId source = source(pull);
            boolean unused = remove(pull);
            Deque<Pull> line = waiting.remove(source);
            if (line != null) {
                waiting.put(source, line);
            }
            running++;
            runningBytes += placeBytes(pull);
            if (pull.isShort()) {
                shortBytes.merge(source, placeBytes(pull), Long::sum);
            }
        }

        void end(Pull pull) {
            running--;
            runningBytes -= placeBytes(pull);
            if (pull.isShort()) {
                shortBytes.computeIfPresent(source(pull), (source, bytes) -> {
                    long left = bytes - placeBytes(pull);
                    return left == 0 ? null : left;
                });
            }
        }

        List<Pull> removeAll() {
            List<Pull> removed = new ArrayList<>();
            waiting.values().forEach(removed::addAll);
            waiting.clear();
            queued = 0;
            queuedBytes = 0;
            return removed;
        }
    }

    boolean hasRoomFor(Pull pull) {
        return kindOf(pull).queued < queuedMax;
    }

    /** Only where {@link #hasRoomFor}. */
    void add(Pull pull) {
        kindOf(pull).add(pull);
    }

    /**
     * The pull to begin now, which counts as running until {@link #ended} or {@link #filled(FilledCopy)}; null where
     * none may begin. None that has its turn is passed by one of its kind that takes less of a place.
     */
    @Nullable
    Pull next() {
        Pull next = filled.isFull(true) ? null : urgent.first(placesBytes / 2);
        if (next == null || !hasPlaceFor(next)) {
            next = filled.isFull(false) ? null : others.first(placesBytes / 2);
        }
        if (next == null || !hasPlaceFor(next)) {
            return null;
        }
        kindOf(next).begin(next);
        return next;
    }

    private boolean hasPlaceFor(Pull pull) {
        long bytes = placeBytes(pull);
        return urgent.runningBytes + others.runningBytes + bytes <= 2 * placesBytes
                && (pull.urgent() || others.runningBytes + bytes <= placesBytes);
    }

    /** How much of its place a pull takes. */
    private static long placeBytes(Pull pull) {
        return pull.isShort() ? Math.max(pull.lengthBytes(), PLACE_BYTES / IN_A_PLACE_MAX) : PLACE_BYTES;
    }

    private static ServerId source(Pull pull) {
        return pull.sources().get(0).server();
    }

    /** One that ran waits for a flush now, and another one may run. */
    void filled(FilledCopy copy) {
        ended(copy.pull());
        filled.add(copy);
    }

    /** The copies that wait for a flush. */
    FinishQueue filled() {
        return filled;
    }

    /** For the pulls that run; needs no guard. */
    WritePlaces writePlaces() {
        return writePlaces;
    }

    void ended(Pull pull) {
        kindOf(pull).end(pull);
    }

    /** Takes a pull out that waits; false where it does not. */
    boolean remove(Pull pull) {
        return kindOf(pull).remove(pull);
    }

    /** Takes out all that wait. */
    List<Pull> removeAll() {
        List<Pull> removed = urgent.removeAll();
        removed.addAll(others.removeAll());
        return removed;
    }

    /** Those that wait for a flush included. */
    int running() {
        return urgent.running + others.running + filled.copies();
    }

    int queued() {
        return urgent.queued + others.queued;
    }

    /** For which no room was taken yet. */
    long queuedBytes() {
        return urgent.queuedBytes + others.queuedBytes;
    }

    private Kind kindOf(Pull pull) {
        return pull.urgent() ? urgent : others;
    }
}
