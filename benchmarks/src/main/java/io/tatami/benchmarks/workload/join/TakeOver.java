package io.tatami.benchmarks.workload.join;

import io.tatami.base.GroupId;
import io.tatami.benchmarks.harness.client.BalancerSwitch;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.Balance;
import io.tatami.protocol.wire.BlockServerInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** A block server takes over blocks, until the last copy is reported and logged. Owned by one thread. */
final class TakeOver {
    private static final long POLL_MILLIS = 20;
    private static final long STATUS_MILLIS = 20_000;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(60);
    private static final int BALANCE_PERCENT = 1;

    private final ClusterAdmin admin;
    private final int shards;
    private final BlockServerInfo joined;
    private long firstNanos;

    /**
     * Waits until the server is there.
     *
     * @param host its own address
     */
    TakeOver(TatamiClient client, int shards, String host) throws IOException, InterruptedException {
        this.admin = client.cluster();
        this.shards = shards;
        this.joined = await("the block server on " + host + " does not join", () -> {
            for (BlockServerInfo server : admin.map().getBlockServerList()) {
                if (server.getHost().equals(host) && server.getState() == BlockServerInfo.State.ACTIVE) {
                    return server;
                }
            }
            return null;
        });
    }

    /** Something that is not there at first. */
    private interface Look<T> {
        /** Null where it is not there yet. */
        @Nullable
        T look() throws IOException;
    }

    /** Has one more copy made of each block of the files, and waits until none lacks one. */
    void byReplication(FileSystem fs, List<Path> files, int copies, long blocks)
            throws IOException, InterruptedException {
        for (Path file : files) {
            if (!fs.setReplication(file, (short) copies)) {
                throw new IOException("no more copies can be asked for of " + file);
            }
        }
        Boolean unused = await("copies are not made", () -> made() >= blocks ? true : null);
        // What is made is reported and logged before it counts.
        Boolean unusedToo = await("copies are not counted", () -> lacking() == 0 ? true : null);
    }

    /** Has the balancer give the server its share, and waits until it has ended. */
    void byBalance() throws IOException, InterruptedException {
        BalancerSwitch.set(admin, BALANCE_PERCENT);
        Boolean unused = await("the balancer does not begin", () -> made() > 0 ? true : null);
        Boolean unusedToo = await("the balancer does not end", () -> isBalancing() ? null : true);
        BalancerSwitch.stop(admin);
    }

    private boolean isBalancing() throws IOException {
        for (int shard = 0; shard < shards; shard++) {
            Balance balance = admin.copiesStatus(GroupId.ofShard(shard), Duration.ofMillis(STATUS_MILLIS))
                    .getBalance();
            if (balance.getUnderWay() || balance.getMovingCopies() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Copies that the server has made. */
    long made() throws IOException {
        long made = admin.blockServerStatus(joined, STATUS_MILLIS).getCopiesMade();
        if (made > 0 && firstNanos == 0) {
            firstNanos = System.nanoTime();
        }
        return made;
    }

    /** When the first copy was seen to be made. */
    long firstNanos() {
        return firstNanos;
    }

    /** Blocks of closed files that have fewer copies than they are to have. */
    long lacking() throws IOException {
        return admin.fsck(TatamiPath.ROOT).copies().underReplicatedBlocks();
    }

    private static <T> T await(String otherwise, Look<T> look) throws IOException, InterruptedException {
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < LIMIT_NANOS) {
            T found = look.look();
            if (found != null) {
                return found;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        throw new IOException(otherwise + ", for an hour");
    }
}
