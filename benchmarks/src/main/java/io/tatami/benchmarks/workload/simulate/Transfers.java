package io.tatami.benchmarks.workload.simulate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Copies that are being made, as a fluid: in each step all that run share disks, links and copy rates evenly, and what
 * one cannot use others get ({@value #FILLING_ROUNDS} rounds of max-min filling). A copy takes its bytes once of the
 * disk that it is read from, of both links, of the copy rates of both servers where it is not urgent, and of the disk
 * that it is written to. A disk runs as many pulls as {@code PullLine} lets it, and others wait in their order.
 */
final class Transfers {
    private static final int FILLING_ROUNDS = 4;
    private static final int RESOURCES = 6;

    /** The index of what has no limit. */
    private static final int NONE = -1;

    private final ClusterShape shape;
    private final double[] bytesPerSecond;
    private final double[] left;
    private final int[] users;
    private final int outLinks;
    private final int inLinks;
    private final int rates;
    private final List<Deque<Transfer>> waiting = new ArrayList<>();
    private final List<Deque<Transfer>> waitingUrgent = new ArrayList<>();

    /** Disks for which some wait. */
    private final BitSet waitingDisks = new BitSet();

    private final int[] running;
    private final int[] runningUrgent;
    private final List<Transfer> active = new ArrayList<>();
    private final long[] sentBytes;
    private final long[] receivedBytes;
    private int queued;
    private long limitedBytes;

    Transfers(ClusterShape shape, int servers) {
        this.shape = shape;
        int disks = (servers + 1) * shape.disks();
        outLinks = disks;
        inLinks = outLinks + servers + 1;
        rates = inLinks + servers + 1;
        bytesPerSecond = new double[rates + servers + 1];
        left = new double[bytesPerSecond.length];
        users = new int[bytesPerSecond.length];
        Arrays.fill(bytesPerSecond, 0, disks, shape.diskBytesPerSecond());
        Arrays.fill(bytesPerSecond, outLinks, rates, shape.linkBytesPerSecond());
        Arrays.fill(bytesPerSecond, rates, bytesPerSecond.length, shape.copyBytesPerSecond());
        running = new int[disks];
        runningUrgent = new int[disks];
        for (int disk = 0; disk < disks; disk++) {
            waiting.add(new ArrayDeque<>());
            waitingUrgent.add(new ArrayDeque<>());
        }
        sentBytes = new long[servers + 1];
        receivedBytes = new long[servers + 1];
    }

    /** A copy under way. */
    static final class Transfer {
        private final int shard;
        private final int block;
        private final int source;
        private final int target;
        private final boolean urgent;
        private final int[] resources;
        private double leftBytes;
        private double gained;

        Transfer(int shard, int block, int source, int target, boolean urgent, int[] resources, double leftBytes) {
            this.shard = shard;
            this.block = block;
            this.source = source;
            this.target = target;
            this.urgent = urgent;
            this.resources = resources;
            this.leftBytes = leftBytes;
        }

        int shard() {
            return shard;
        }

        int block() {
            return block;
        }

        int target() {
            return target;
        }

        private int targetDisk() {
            return resources[1];
        }
    }

    /** Some of the disks have a tenth of their speed from now on. */
    void slowDown(int percent, Random random) {
        for (int disk = 0; disk < outLinks; disk++) {
            if (random.nextInt(100) < percent) {
                bytesPerSecond[disk] = shape.diskBytesPerSecond() / 10.0;
            }
        }
    }

    void begin(int shard, int block, int source, int target, boolean urgent) {
        boolean isLimited = shape.copyBytesPerSecond() > 0 && !urgent;
        int[] resources = {
            diskOf(shard, block, source),
            diskOf(shard, block, target),
            outLinks + source,
            inLinks + target,
            isLimited ? rates + source : NONE,
            isLimited ? rates + target : NONE
        };
        Transfer transfer = new Transfer(shard, block, source, target, urgent, resources, shape.blockBytes());
        (urgent ? waitingUrgent : waiting).get(transfer.targetDisk()).add(transfer);
        waitingDisks.set(transfer.targetDisk());
        queued++;
    }

    /** The disk of a server that has a block, or gets it. */
    private int diskOf(int shard, int block, int server) {
        long mixed = (shard * 0x9e3779b97f4a7c15L + block) * 0xbf58476d1ce4e5b9L + server;
        mixed = (mixed ^ (mixed >>> 29)) * 0x94d049bb133111ebL;
        return server * shape.disks() + (int) Long.remainderUnsigned(mixed >>> 17, shape.disks());
    }

    boolean isEmpty() {
        return queued == 0 && active.isEmpty();
    }

    /** Time goes by. Returns the copies that were made meanwhile. */
    List<Transfer> step(double seconds) {
        start();
        if (active.isEmpty()) {
            return List.of();
        }
        for (int resource = 0; resource < left.length; resource++) {
            left[resource] = bytesPerSecond[resource] * seconds;
        }
        for (int round = 0; round < FILLING_ROUNDS; round++) {
            fill();
        }
        List<Transfer> made = new ArrayList<>();
        active.removeIf(transfer -> {
            boolean isMade = transfer.leftBytes < 1;
            if (isMade) {
                made.add(transfer);
                end(transfer);
            }
            return isMade;
        });
        return made;
    }

    private void start() {
        if (queued == 0) {
            return;
        }
        for (int disk = waitingDisks.nextSetBit(0); disk >= 0; disk = waitingDisks.nextSetBit(disk + 1)) {
            Deque<Transfer> urgent = waitingUrgent.get(disk);
            while (!urgent.isEmpty() && running[disk] + runningUrgent[disk] < 2 * shape.pullsMax()) {
                runningUrgent[disk]++;
                activate(urgent.remove());
            }
            Deque<Transfer> others = waiting.get(disk);
            while (!others.isEmpty()
                    && running[disk] < shape.pullsMax()
                    && running[disk] + runningUrgent[disk] < 2 * shape.pullsMax()) {
                running[disk]++;
                activate(others.remove());
            }
            waitingDisks.set(disk, !urgent.isEmpty() || !others.isEmpty());
        }
    }

    private void activate(Transfer transfer) {
        queued--;
        active.add(transfer);
    }

    /** Each gets an equal part of what is left of what it needs. */
    private void fill() {
        Arrays.fill(users, 0);
        for (Transfer transfer : active) {
            if (transfer.leftBytes >= 1) {
                for (int i = 0; i < RESOURCES; i++) {
                    int resource = transfer.resources[i];
                    if (resource != NONE) {
                        users[resource]++;
                    }
                }
            }
        }
        for (Transfer transfer : active) {
            double gained = transfer.leftBytes;
            for (int i = 0; i < RESOURCES && gained >= 1; i++) {
                int resource = transfer.resources[i];
                if (resource != NONE) {
                    gained = Math.min(gained, Math.max(0, left[resource]) / users[resource]);
                }
            }
            transfer.gained = transfer.leftBytes < 1 ? 0 : gained;
        }
        for (Transfer transfer : active) {
            transfer.leftBytes -= transfer.gained;
            for (int i = 0; i < RESOURCES && transfer.gained > 0; i++) {
                int resource = transfer.resources[i];
                if (resource != NONE) {
                    left[resource] -= transfer.gained;
                }
            }
        }
    }

    private void end(Transfer transfer) {
        if (transfer.urgent) {
            runningUrgent[transfer.targetDisk()]--;
        } else {
            running[transfer.targetDisk()]--;
        }
        sentBytes[transfer.source] += shape.blockBytes();
        receivedBytes[transfer.target] += shape.blockBytes();
        limitedBytes += transfer.urgent ? 0 : shape.blockBytes();
    }

    /** Of copies that were made, by the ids of servers. */
    long[] sentBytes() {
        return sentBytes;
    }

    /** Of copies that were made, by the ids of servers. */
    long[] receivedBytes() {
        return receivedBytes;
    }

    /** Of copies that were made and count towards the copy rates. */
    long limitedBytes() {
        return limitedBytes;
    }

    long movedBytes() {
        return Arrays.stream(receivedBytes).sum();
    }
}
