package io.tatami.meta.service.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.service.traffic.HeavyHitters.Counted;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** The counter of bounded space beside exact counts. */
final class HeavyHittersTest {
    private static final int ROUNDS = 40;

    /** Makes a stream of keys from random bits. */
    private interface Stream {
        int next(Random random, int place);
    }

    @Test
    void skewedStreamsAreCountedWithinTheBounds() {
        check((random, place) -> (int) Math.min(100_000, 1 / (1 - random.nextDouble())));
    }

    @Test
    void evenStreamsAreCountedWithinTheBounds() {
        check((random, place) -> random.nextInt(1_000));
    }

    @Test
    void streamsOfKeysThatComeOnceAreCountedWithinTheBounds() {
        check((random, place) -> random.nextInt(4) == 0 ? -1 : place);
    }

    @Test
    void streamsWhoseFrequentKeysChangeAreCountedWithinTheBounds() {
        check((random, place) -> place / 700 * 10 + random.nextInt(12));
    }

    @Test
    void partsOfAStreamThatAreCountedApartAreWithinTheBoundsTogether() {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = 104_729L * round + 5;
            Random random = new Random(seed);
            int capacity = 1 + random.nextInt(40);
            List<HeavyHitters<Integer>> parts = List.of(
                    new HeavyHitters<>(capacity, key -> key),
                    new HeavyHitters<>(capacity, key -> key),
                    new HeavyHitters<>(capacity, key -> key));
            Map<Integer, Long> exact = new HashMap<>();
            for (int place = random.nextInt(6_000); place > 0; place--) {
                int key = random.nextInt(1 + random.nextInt(200));
                parts.get(Math.min(2, random.nextInt(6))).count(key);
                exact.merge(key, 1L, Long::sum);
            }
            List<Counted<Integer>> merged = HeavyHitters.merged(
                    parts.stream().map(HeavyHitters::snapshot).toList());
            checkBounds(merged, exact, capacity, "seed " + seed);
        }
    }

    private static void check(Stream stream) {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = 7_919L * round + 17;
            Random random = new Random(seed);
            int capacity = 1 + random.nextInt(40);
            HeavyHitters<Integer> hitters = new HeavyHitters<>(capacity, key -> key);
            Map<Integer, Long> exact = new HashMap<>();
            int total = random.nextInt(6_000);
            for (int place = 0; place < total; place++) {
                int key = stream.next(random, place);
                hitters.count(key);
                exact.merge(key, 1L, Long::sum);
            }
            checkBounds(hitters.counted(), exact, capacity, "seed " + seed);
            assertEquals(Math.min(capacity, exact.size()), hitters.counted().size(), "seed " + seed);
            assertEquals(
                    total, hitters.counted().stream().mapToLong(Counted::count).sum(), "seed " + seed);
        }
    }

    private static void checkBounds(
            List<Counted<Integer>> counted, Map<Integer, Long> exact, int capacity, String seed) {
        Set<Integer> kept = new HashSet<>();
        long before = Long.MAX_VALUE;
        for (Counted<Integer> each : counted) {
            long came = exact.getOrDefault(each.key(), 0L);
            assertTrue(kept.add(each.key()), seed + ": " + each + " is kept twice");
            assertTrue(each.count() >= came, seed + ": " + each + " came " + came + " times");
            assertTrue(each.count() - each.error() <= came, seed + ": " + each + " came " + came + " times");
            assertTrue(each.count() <= before, seed + ": " + each + " is behind a lower count");
            before = each.count();
        }
        long total = exact.values().stream().mapToLong(Long::longValue).sum();
        exact.forEach((key, came) ->
                assertTrue(came <= total / capacity || kept.contains(key), seed + ": " + key + " came " + came));
    }

    @Test
    void countsAreExactWhileThereIsRoomForAllKeys() {
        HeavyHitters<String> hitters = new HeavyHitters<>(3, key -> key);
        List.of("b", "a", "b", "c", "b", "a").forEach(hitters::count);
        assertEquals(
                List.of(new Counted<>("b", 3, 0), new Counted<>("a", 2, 0), new Counted<>("c", 1, 0)),
                hitters.counted());
    }

    @Test
    void aKeyThatWentAndCameBackHasAHigherErrorThanBefore() {
        HeavyHitters<String> hitters = new HeavyHitters<>(1, key -> key);
        List.of("a", "b", "a").forEach(hitters::count);
        assertEquals(List.of(new Counted<>("a", 3, 2)), hitters.counted());
    }

    @Test
    void aKeyThatIsGivenIsCopiedOnlyWhenItIsKeptAnew() {
        int[] copies = {0};
        IntUnaryOperator copied = key -> {
            copies[0]++;
            return key;
        };
        HeavyHitters<Integer> hitters = new HeavyHitters<>(2, copied::applyAsInt);
        List.of(1, 2, 1, 2, 2, 1).forEach(hitters::count);
        assertEquals(2, copies[0]);
        hitters.count(3);
        assertEquals(3, copies[0]);
    }
}
