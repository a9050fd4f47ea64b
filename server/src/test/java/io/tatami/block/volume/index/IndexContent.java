package io.tatami.block.volume.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What was acknowledged by a real index store, to be compared with what a damaged copy of its files gives out. */
final class IndexContent {
    private static final int STARTS = 3;
    private static final int KEYS = 2_000;
    private static final int VALUE_BYTES_MAX = 400;

    private final Map<String, byte[]> expected = new TreeMap<>();

    /** What was there after each change. */
    private final List<Map<String, byte[]>> history = new ArrayList<>();

    private IndexContent() {}

    /** A store with tables and a log, from three starts with {@code batches} random changes each. */
    static IndexContent make(Path store, long seed, int batches) throws TatamiException {
        IndexContent content = new IndexContent();
        Random random = new Random(seed);
        for (int start = 0; start < STARTS; start++) {
            try (RocksIndexStore index = start == 0
                    ? RocksIndexStore.create(store, new FailStop("volume"))
                    : RocksIndexStore.open(store, new FailStop("volume"))) {
                for (int batch = 0; batch < batches; batch++) {
                    content.change(index, random);
                    content.history.add(new TreeMap<>(content.expected));
                }
            }
        }
        return content;
    }

    private void change(RocksIndexStore index, Random random) throws TatamiException {
        String key = "e" + random.nextInt(KEYS);
        if (random.nextInt(5) == 0) {
            index.write(List.of(new IndexStore.Change(key.getBytes(StandardCharsets.US_ASCII), null)));
            expected.remove(key);
            return;
        }
        byte[] value = new byte[1 + random.nextInt(VALUE_BYTES_MAX)];
        random.nextBytes(value);
        index.write(List.of(new IndexStore.Change(key.getBytes(StandardCharsets.US_ASCII), value)));
        expected.put(key, value);
    }

    /** "refused" by opening or reading, "unharmed", or what of the changes that were acknowledged is not there. */
    String lookAt(Path store) {
        Map<String, byte[]> found = new TreeMap<>();
        try (RocksIndexStore index = RocksIndexStore.open(store, new FailStop("volume"))) {
            index.scan(new byte[0], (key, value) -> found.put(new String(key, StandardCharsets.US_ASCII), value));
        } catch (TatamiException e) {
            assertEquals(ErrorCode.CORRUPT, e.code(), e.toString());
            assertTrue(String.valueOf(e.getMessage()).contains("format the volume again"), e.toString());
            return "refused";
        }
        for (int lost = 0; lost < history.size(); lost++) {
            if (isSame(found, history.get(history.size() - 1 - lost))) {
                return lost == 0 ? "unharmed" : "lacks the last " + lost;
            }
        }
        return "lacks some in between";
    }

    private static boolean isSame(Map<String, byte[]> found, Map<String, byte[]> wanted) {
        return found.keySet().equals(wanted.keySet())
                && found.entrySet().stream()
                        .allMatch(entry -> Arrays.equals(entry.getValue(), wanted.get(entry.getKey())));
    }
}
