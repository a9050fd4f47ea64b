package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code -Dtatami.test.seed} says with which seed the random orders begin. */
class TurnOrderTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final int SEEDS = 40;
    private static final int UNIT = Device.UNIT_BYTES;
    private static final long TURN_COST = TurnOrder.TURN_BYTES_MAX + TurnOrder.SEEK_BYTES;
    private static final long BACKGROUND_TURN_COST = UNIT + TurnOrder.SEEK_BYTES;

    private static final int IO_THREADS = 4;
    private static final int WINDOW = 4;
    private static final long PROMPT_NANOS = 2_000_000;
    private static final long SIMULATED_SECONDS = 60;

    private final IoThreads nobody = IoThreads.onCaller();
    private final TurnOrder order = new TurnOrder();

    @Test
    void aStreamKeepsTheTurnForAsLongAsItHasAccessesAndNoLonger() {
        AccessStream first = queued(AccessKind.READ, 3);
        AccessStream second = queued(AccessKind.READ, 2);

        assertEquals(List.of(first, first), take(2));
        add(first, UNIT);
        assertEquals(List.of(first, first, second, second), take(4));
        assertSame(null, order.next());
    }

    @Test
    void aTurnEndsAfterItsBytesAndTheOtherStreamsComeFirstThen() {
        AccessStream endless = queued(AccessKind.WRITE, 100);
        AccessStream other = queued(AccessKind.WRITE, 1);

        List<AccessStream> taken = take(10);
        assertEquals(8, taken.indexOf(other));
        assertEquals(endless, taken.get(9));
    }

    @Test
    void aFlushIsNextWhateverIsQueued() {
        queued(AccessKind.WRITE, 100);
        take(3);
        PendingAccess flush = new PendingAccess(() -> {}, null, 0);
        order.addFlush(flush);

        assertSame(flush, order.next());
    }

    @Test
    void whatIsRemovedIsNotDoneAndItsStreamMayGoOn() {
        AccessStream first = queued(AccessKind.READ, 3);
        AccessStream second = queued(AccessKind.READ, 3);
        take(1);

        assertEquals(3, order.remove(second).size());
        assertEquals(2, order.remove(first).size());
        assertSame(null, order.next());
        add(second, UNIT);
        assertEquals(List.of(second), take(1));
    }

    @Test
    void sixteenStreamsKeepFourFifthsOfWhatADiskGivesOne() {
        double alone = speed(new Turns(), AccessKind.READ, 1, PROMPT_NANOS);

        assertEquals(200e6, alone, 1e6);
        for (AccessKind kind : List.of(AccessKind.READ, AccessKind.WRITE)) {
            assertTrue(speed(new Turns(), kind, 16, PROMPT_NANOS) >= 0.9 * alone);
        }
    }

    /** Each of them takes what it gets as slowly as it gets it: none asks for more while it has the turn. */
    @Test
    void sixteenStreamsThatAreNoFasterThanTheirPartOfTheDiskKeepFourFifths() {
        long unitNanos = (long) (UNIT * SimSpindle.NANOS_PER_BYTE);
        double alone = speed(new Turns(), AccessKind.READ, 1, PROMPT_NANOS);

        assertTrue(speed(new Turns(), AccessKind.READ, 16, 8 * unitNanos) >= 0.8 * alone);
    }

    /** The disk of these tests punishes what they are about: one queue for all does not reach four fifths. */
    @Test
    void sixteenStreamsInOneQueueDoNot() {
        double alone = speed(new OneQueue(), AccessKind.READ, 1, PROMPT_NANOS);

        assertTrue(speed(new OneQueue(), AccessKind.READ, 16, PROMPT_NANOS) < 0.75 * alone);
    }

    @Test
    void readersAndWritersBesideEachOtherKeepFourFifthsAndShareTheDiskEqually() {
        SimSpindle disk = new SimSpindle(new Turns(), IO_THREADS);
        List<SimSpindle.Client> clients = new ArrayList<>(clients(AccessKind.WRITE, 15, PROMPT_NANOS));
        SimSpindle.Client reader = clients(AccessKind.READ, 1, PROMPT_NANOS).get(0);
        clients.add(reader);

        double all = disk.bytesPerSecond(clients, SIMULATED_SECONDS);

        assertTrue(all >= 160e6, "all together " + all);
        double read = disk.doneBytes(reader) * 1.0 / SIMULATED_SECONDS;
        assertTrue(read >= 0.45 * all && read <= 0.55 * all, "of " + all + " the reader had " + read);
    }

    @Test
    void aStreamThatAsksNoMoreHoldsNobodyUp() {
        SimSpindle disk = new SimSpindle(new Turns(), IO_THREADS);
        List<SimSpindle.Client> clients = new ArrayList<>(clients(AccessKind.READ, 4, PROMPT_NANOS));
        clients.addAll(clients(AccessKind.READ, 12, Long.MAX_VALUE / 4));

        assertTrue(disk.bytesPerSecond(clients, SIMULATED_SECONDS) >= 180e6);
    }

    /** A reader that asks for the next when one has ended has nothing queued just then, and others under way. */
    @Test
    void aReaderKeepsThreeQuartersOfADiskBesideWhatIsInTheBackground() {
        for (int window : List.of(2, 3, WINDOW)) {
            SimSpindle disk = new SimSpindle(new Turns(), IO_THREADS);
            SimSpindle.Client reader = new SimSpindle.Client(nobody.stream(AccessKind.READ), window, PROMPT_NANOS);
            SimSpindle.Client copying =
                    clients(AccessKind.BACKGROUND, 1, PROMPT_NANOS).get(0);

            double all = disk.bytesPerSecond(List.of(reader, copying), SIMULATED_SECONDS);

            double read = disk.doneBytes(reader) * 1.0 / SIMULATED_SECONDS;
            double copied = disk.doneBytes(copying) * 1.0 / SIMULATED_SECONDS;
            assertTrue(read >= 0.75 * 200e6, "window " + window + ": of " + all + " the reader had " + read);
            assertTrue(copied >= 0.07 * 200e6, "window " + window + ": of " + all + " the copy had " + copied);
        }
    }

    @Test
    void whatIsInTheBackgroundBeginsBesideAReadOnlyWhenItIsBehind() {
        AccessStream copying = queued(AccessKind.BACKGROUND, 2);
        assertEquals(List.of(copying), take(1));
        AccessStream reader = queued(AccessKind.READ, 1);
        for (int read = 0; read < 8; read++) {
            assertEquals(List.of(reader), take(1), "read " + read);
            assertSame(null, order.next(), "beside read " + read);
            order.ended(Objects.requireNonNull(begun));
            add(reader, UNIT);
        }
        int reads = 8;
        while (owners.get(order.next()) != copying) {
            reads++;
            add(reader, UNIT);
        }
        // Eight times what its unit and seek cost, to the end of the reader's turn.
        assertTrue(reads >= 10 && reads <= 16, "it began after " + reads + " reads");
    }

    @Test
    void whatWasHeldBackBeginsWhenTheReadHasEnded() {
        AccessStream copying = queued(AccessKind.BACKGROUND, 2);
        take(1);
        AccessStream reader = queued(AccessKind.READ, 1);
        assertEquals(List.of(reader), take(1));
        assertSame(null, order.next());

        order.ended(Objects.requireNonNull(begun));

        assertEquals(List.of(copying), take(1));
    }

    @Test
    void noStreamWaitsLongerThanTheBoundAndEachIsServedInItsOrder() {
        for (long seed = SEED; seed < SEED + SEEDS; seed++) {
            new Waits(seed).run();
        }
    }

    private AccessStream queued(AccessKind kind, int units) {
        AccessStream stream = nobody.stream(kind);
        for (int i = 0; i < units; i++) {
            add(stream, UNIT);
        }
        return stream;
    }

    private final Map<PendingAccess, AccessStream> owners = new HashMap<>();

    private PendingAccess add(AccessStream stream, int bytes) {
        PendingAccess access = new PendingAccess(() -> {}, stream.kind(), bytes);
        owners.put(access, stream);
        order.add(stream, access);
        return access;
    }

    /** The last that was begun. */
    private @Nullable PendingAccess begun;

    private List<@Nullable AccessStream> take(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    begun = order.next();
                    return owners.get(begun);
                })
                .toList();
    }

    private double speed(SimSpindle.Order by, AccessKind kind, int streams, long thinkNanos) {
        return new SimSpindle(by, IO_THREADS).bytesPerSecond(clients(kind, streams, thinkNanos), SIMULATED_SECONDS);
    }

    private List<SimSpindle.Client> clients(AccessKind kind, int count, long thinkNanos) {
        return IntStream.range(0, count)
                .mapToObj(i -> new SimSpindle.Client(nobody.stream(kind), WINDOW, thinkNanos))
                .toList();
    }

    private static final class Turns implements SimSpindle.Order {
        private final TurnOrder order = new TurnOrder();

        @Override
        public void add(AccessStream stream, PendingAccess access) {
            order.add(stream, access);
        }

        @Override
        public @Nullable PendingAccess next() {
            return order.next();
        }

        @Override
        public void ended(PendingAccess access) {
            order.ended(access);
        }
    }

    private static final class OneQueue implements SimSpindle.Order {
        private final Deque<PendingAccess> queue = new ArrayDeque<>();

        @Override
        public void add(AccessStream stream, PendingAccess access) {
            queue.add(access);
        }

        @Override
        public @Nullable PendingAccess next() {
            return queue.poll();
        }

        @Override
        public void ended(PendingAccess access) {}
    }

    /** Streams of all kinds come, ask for what a generator draws, and go; what each waits for is counted. */
    private final class Waits {
        private static final int STEPS = 3000;
        private static final int STREAMS = 24;

        private final long seed;
        private final Random random;
        private final TurnOrder turns = new TurnOrder();
        private final List<AccessStream> streams = new ArrayList<>();
        private final Map<AccessStream, Deque<PendingAccess>> asked = new HashMap<>();
        private final Map<AccessStream, Waiting> waiting = new HashMap<>();
        private final int busyness;
        private @Nullable AccessStream last;

        /** What went by since a stream began to wait, and how many of its kind waited then. */
        private final class Waiting {
            private final long others;
            private final Map<AccessKind, Long> cost = new EnumMap<>(AccessKind.class);

            Waiting(AccessKind kind) {
                others = waiting.keySet().stream()
                        .filter(stream -> stream.kind() == kind)
                        .count();
            }
        }

        Waits(long seed) {
            this.seed = seed;
            this.random = new Random(new SplittableRandom(seed).nextLong());
            this.busyness = 1 + random.nextInt(3);
            for (int i = 0; i < STREAMS; i++) {
                AccessKind[] kinds = AccessKind.values();
                streams.add(nobody.stream(kinds[random.nextInt(kinds.length)]));
            }
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                for (int i = random.nextInt(2 * busyness); i > 0; i--) {
                    ask(streams.get(random.nextInt(STREAMS)));
                }
                serve();
            }
            while (asked.values().stream().anyMatch(queue -> !queue.isEmpty())) {
                serve();
            }
            assertSame(null, turns.next());
        }

        private Deque<PendingAccess> asked(AccessStream stream) {
            return asked.computeIfAbsent(stream, absent -> new ArrayDeque<>());
        }

        private void ask(AccessStream stream) {
            Deque<PendingAccess> queue = asked(stream);
            if (queue.isEmpty() && stream != last) {
                waiting.put(stream, new Waiting(stream.kind()));
            }
            int bytes = random.nextInt(4) == 0 ? UNIT : (1 + random.nextInt(UNIT / 4096)) * 4096;
            PendingAccess access = new PendingAccess(() -> {}, stream.kind(), bytes);
            queue.add(access);
            turns.add(stream, access);
        }

        private void serve() {
            PendingAccess access = turns.next();
            if (access == null) {
                assertTrue(asked.values().stream().allMatch(Deque::isEmpty), replay());
                return;
            }
            // One at a time: the next is chosen when this one has ended.
            turns.ended(access);
            AccessStream stream = asked.entrySet().stream()
                    .filter(entry -> entry.getValue().peek() == access)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("not in its order; " + replay()));
            asked(stream).remove();
            Waiting over = waiting.remove(stream);
            if (over != null) {
                checkBound(stream.kind(), over);
            }
            count(stream, access.bytes());
        }

        private void count(AccessStream stream, int bytes) {
            long cost = bytes + (stream == last ? 0 : TurnOrder.SEEK_BYTES);
            waiting.values().forEach(other -> other.cost.merge(stream.kind(), cost, Long::sum));
            if (stream != last && last != null && !asked(last).isEmpty()) {
                waiting.put(last, new Waiting(last.kind()));
                waiting.get(last).cost.merge(stream.kind(), cost, Long::sum);
            }
            last = stream;
        }

        private void checkBound(AccessKind kind, Waiting over) {
            boolean background = kind == AccessKind.BACKGROUND;
            // In the clock of the kinds: an access in the background advances it eight times over.
            long clock = (over.others + 1) * (background ? 8 * BACKGROUND_TURN_COST : TURN_COST);
            for (AccessKind of : AccessKind.values()) {
                long bound = of == AccessKind.BACKGROUND ? clock / 8 + BACKGROUND_TURN_COST : clock + TURN_COST;
                long own = background ? clock / 8 : clock;
                long cost = over.cost.getOrDefault(of, 0L);
                assertTrue(
                        cost <= (of == kind ? own : bound),
                        () -> kind + " behind " + over.others + " waited for " + cost + " bytes of " + of + "; "
                                + replay());
            }
        }

        private String replay() {
            return "-Dtatami.test.seed=" + seed;
        }
    }
}
