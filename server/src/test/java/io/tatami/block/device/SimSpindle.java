package io.tatami.block.device;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A disk of one arm in virtual time: transfers 200 MB/s, and takes 8 ms to go to where the access before did not end.
 * It is given some accesses at once and does them in that order. Its clients are sequential, each with a window of
 * accesses that it has asked for; they ask for the next a while after one has ended, each time drawn anew.
 */
final class SimSpindle {
    static final long SEEK_NANOS = 8_000_000;
    static final double NANOS_PER_BYTE = 5;

    /** All clients begin within this. */
    private static final long START_NANOS = 1_000_000;

    /** Decides what the disk is given next. */
    interface Order {
        void add(AccessStream stream, PendingAccess access);

        @Nullable
        PendingAccess next();

        /** An access that was begun has ended. */
        void ended(PendingAccess access);
    }

    /** @param thinkNanos from the end of an access until the next is asked for in its stead, in the mean */
    record Client(AccessStream stream, int window, long thinkNanos) {}

    private record Event(long nanos, long number, Runnable action) {}

    private final Order order;
    private final int givenMax;
    private final SplittableRandom random = new SplittableRandom(1);
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparing(Event::number));
    private final Map<PendingAccess, Client> owners = new HashMap<>();
    private final Queue<PendingAccess> given = new ArrayDeque<>();
    private @Nullable Client last;
    private long nanos;
    private long number;
    private final Map<Client, Long> doneBytes = new HashMap<>();

    /** @param givenMax how many accesses the disk is given at once */
    SimSpindle(Order order, int givenMax) {
        this.order = order;
        this.givenMax = givenMax;
    }

    /** Lets the clients ask for units of 4 MiB for so long, and tells how many bytes they got in a second. */
    double bytesPerSecond(List<Client> clients, long seconds) {
        for (Client client : clients) {
            for (int i = 0; i < client.window(); i++) {
                at(random.nextLong(START_NANOS), () -> ask(client));
            }
        }
        while (nanos < seconds * 1_000_000_000L) {
            Event event = events.remove();
            nanos = event.nanos();
            event.action().run();
        }
        return clients.stream().mapToLong(this::doneBytes).sum() * 1e9 / nanos;
    }

    long doneBytes(Client client) {
        return doneBytes.getOrDefault(client, 0L);
    }

    private void ask(Client client) {
        PendingAccess access = new PendingAccess(() -> {}, client.stream().kind(), Device.UNIT_BYTES);
        owners.put(access, client);
        order.add(client.stream(), access);
        give();
    }

    private void give() {
        boolean idle = given.isEmpty();
        while (given.size() < givenMax) {
            PendingAccess next = order.next();
            if (next == null) {
                break;
            }
            given.add(next);
        }
        if (idle && !given.isEmpty()) {
            begin();
        }
    }

    private void begin() {
        Client client = owners.get(given.element());
        long seek = client == last ? 0 : SEEK_NANOS;
        last = client;
        at(seek + (long) (Device.UNIT_BYTES * NANOS_PER_BYTE), this::end);
    }

    private void end() {
        PendingAccess ended = given.remove();
        order.ended(ended);
        Client client = owners.remove(ended);
        if (client != null) {
            doneBytes.merge(client, (long) Device.UNIT_BYTES, Long::sum);
            at(random.nextLong(2 * client.thinkNanos()), () -> ask(client));
        }
        if (!given.isEmpty()) {
            begin();
        }
        give();
    }

    private void at(long laterNanos, Runnable action) {
        events.add(new Event(nanos + laterNanos, number++, action));
    }
}
