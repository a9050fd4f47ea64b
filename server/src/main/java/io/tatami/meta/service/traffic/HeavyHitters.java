package io.tatami.meta.service.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Which keys of a stream come most often, in space for a fixed number of keys: the algorithm Space-Saving (A. Metwally,
 * D. Agrawal, A. El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, ICDT 2005). A key
 * that is not kept, where no more can be, takes the place of one with the lowest count: it counts on from there, and
 * that count is its error. So with room for {@code k} keys, after {@code n} were counted:
 *
 * <ul>
 *   <li>a kept key came at most {@code count} times, and at least {@code count - error} times;
 *   <li>each key that came more than {@code n / k} times is kept;
 *   <li>while a key stays, its count rises by how often it comes. One that went and came back has a higher error.
 * </ul>
 *
 * A key that is kept is counted without allocation. Used by one thread at a time.
 *
 * @param <K> has {@code equals} and {@code hashCode}
 */
public final class HeavyHitters<K> {
    private final int capacity;
    private final UnaryOperator<K> kept;
    private final Map<K, Entry<K>> entries;

    /** A binary heap, the lowest count first: the entry at {@code n} is not above those at 2n + 1 and 2n + 2. */
    private final List<Entry<K>> heap;

    /** How often a key came, at most; and at least {@code count - error} times. */
    public record Counted<K>(K key, long count, long error) {}

    private static final class Entry<K> {
        private K key;
        private long count = 1;
        private long error;
        private int place;

        Entry(K key, int place) {
            this.key = key;
            this.place = place;
        }
    }

    /**
     * @param capacity how many keys are kept, above 0
     * @param kept makes the key that stays of one that was given, where callers use theirs again
     */
    public HeavyHitters(int capacity, UnaryOperator<K> kept) {
        this.capacity = capacity;
        this.kept = kept;
        this.entries = new HashMap<>(2 * capacity);
        this.heap = new ArrayList<>(capacity);
    }

    /** Counts a key once. */
    public void count(K key) {
        Entry<K> entry = entries.get(key);
        if (entry != null) {
            entry.count++;
            sink(entry);
        } else if (heap.size() < capacity) {
            add(kept.apply(key));
        } else {
            replaceLowest(kept.apply(key));
        }
    }

    private void add(K key) {
        Entry<K> entry = new Entry<>(key, heap.size());
        heap.add(entry);
        entries.put(key, entry);
        rise(entry);
    }

    private void replaceLowest(K key) {
        Entry<K> entry = heap.get(0);
        entries.remove(entry.key);
        entry.key = key;
        entry.error = entry.count;
        entry.count++;
        entries.put(key, entry);
        sink(entry);
    }

    private void rise(Entry<K> entry) {
        int place = entry.place;
        while (place > 0) {
            int above = (place - 1) / 2;
            Entry<K> other = heap.get(above);
            if (other.count <= entry.count) {
                break;
            }
            put(other, place);
            place = above;
        }
        put(entry, place);
    }

    private void sink(Entry<K> entry) {
        int place = entry.place;
        for (int below = 2 * place + 1; below < heap.size(); below = 2 * place + 1) {
            if (below + 1 < heap.size() && heap.get(below + 1).count < heap.get(below).count) {
                below++;
            }
            Entry<K> other = heap.get(below);
            if (other.count >= entry.count) {
                break;
            }
            put(other, place);
            place = below;
        }
        put(entry, place);
    }

    private void put(Entry<K> entry, int place) {
        entry.place = place;
        heap.set(place, entry);
    }

    /** What is kept now, the most frequent first. */
    public List<Counted<K>> counted() {
        List<Counted<K>> counted = new ArrayList<>(heap.size());
        heap.forEach(entry -> counted.add(new Counted<>(entry.key, entry.count, entry.error)));
        counted.sort(Comparator.comparingLong((Counted<K> each) -> each.count).reversed());
        return counted;
    }

    /** What is kept now, and what any other key may have come at most. */
    public Snapshot<K> snapshot() {
        return new Snapshot<>(counted(), heap.size() < capacity ? 0 : heap.get(0).count);
    }

    /**
     * What is kept of one part of a stream.
     *
     * @param floor how often a key that is not kept came at most
     */
    public record Snapshot<K>(List<Counted<K>> counted, long floor) {}

    /**
     * What comes most often in a stream whose parts were counted apart. The bounds of each key are the sums of its
     * bounds in the parts, so {@code count} and {@code error} mean what they mean of one. All keys that a part keeps
     * are told, so none is lacking that came more than {@code n / k} times.
     */
    public static <K> List<Counted<K>> merged(List<Snapshot<K>> parts) {
        long floors = parts.stream().mapToLong(Snapshot::floor).sum();
        Map<K, Counted<K>> sums = new HashMap<>();
        for (Snapshot<K> part : parts) {
            for (Counted<K> kept : part.counted()) {
                Counted<K> sum = sums.getOrDefault(kept.key(), new Counted<>(kept.key(), floors, floors));
                long count = sum.count() - part.floor() + kept.count();
                long error = sum.error() - part.floor() + kept.error();
                sums.put(kept.key(), new Counted<>(kept.key(), count, error));
            }
        }
        return sums.values().stream()
                .sorted(Comparator.comparingLong((Counted<K> each) -> each.count)
                        .reversed())
                .toList();
    }
}
