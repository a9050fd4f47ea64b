package io.tatami.meta.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads many records that lie next to one another with one scan: a step to the next record costs a fraction of a
 * look-up. Where too much else lies between them, the rest is looked up.
 */
final class NearbyRecords {
    /** So many other records are stepped over for each that was found; to look one up costs about as much. */
    private static final int OTHERS_PER_FOUND = 4;

    /** Other records that are stepped over before anything was found. */
    private static final int OTHERS_FIRST = 16;

    private NearbyRecords() {}

    private record Sought<K>(byte[] key, K name) {}

    /**
     * The values of those records that exist, by what they were asked for as.
     *
     * @param key the key of each record
     */
    static <K> Map<K, byte[]> read(View view, Collection<K> names, Function<K, byte[]> key) {
        Map<K, byte[]> found = new HashMap<>(2 * names.size());
        if (names.isEmpty()) {
            return found;
        }
        List<Sought<K>> sought = new ArrayList<>(names.size());
        names.forEach(name -> sought.add(new Sought<>(key.apply(name), name)));
        sought.sort(Comparator.comparing(Sought::key, Arrays::compareUnsigned));
        for (Sought<K> left : sought.subList(scan(view, sought, found), sought.size())) {
            byte[] value = view.get(left.key);
            if (value != null) {
                found.put(left.name, value);
            }
        }
        return found;
    }

    /** How many of them were read: all, unless there was too much between them. */
    private static <K> int scan(View view, List<Sought<K>> sought, Map<K, byte[]> found) {
        byte[] last = sought.get(sought.size() - 1).key;
        byte[] end = Arrays.copyOf(last, last.length + 1);
        int read = 0;
        int others = 0;
        try (View.Cursor cursor = view.scan(sought.get(0).key, end)) {
            while (read < sought.size() && cursor.next()) {
                byte[] key = cursor.key();
                while (Arrays.compareUnsigned(sought.get(read).key, key) < 0) {
                    read++;
                }
                if (Arrays.equals(sought.get(read).key, key)) {
                    byte[] value = cursor.value();
                    while (read < sought.size() && Arrays.equals(sought.get(read).key, key)) {
                        found.put(sought.get(read).name, value);
                        read++;
                    }
                } else if (++others > OTHERS_FIRST + OTHERS_PER_FOUND * found.size()) {
                    return read;
                }
            }
        }
        return sought.size();
    }
}
