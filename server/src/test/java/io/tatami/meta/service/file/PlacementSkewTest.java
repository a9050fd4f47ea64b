package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer;
import io.tatami.cluster.BlockPlacer.Candidate;
import io.tatami.cluster.RecentCount;
import io.tatami.meta.op.write.WriterLoads;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How unevenly writers are spread over servers by shards that know of each other by what servers tell alone. */
class PlacementSkewTest {
    private static final int ROUNDS = 200;

    /** By chance alone, the fullest of four servers has half as many again as the mean of 16 writers. */
    @Test
    void writersOfOneShardAreSpreadAsEvenlyAsTheirNumberAllows() {
        assertTrue(meanSkew(4, 1, 16, false, 0) > 1.4);
        for (int servers : new int[] {2, 4, 8, 10}) {
            for (int writers : new int[] {8, 32, 128}) {
                double best = (double) ((writers + servers - 1) / servers) * servers / writers;
                double skew = meanSkew(servers, 1, writers, true, 0);
                assertTrue(skew < best + 0.02, servers + " servers, " + writers + " writers: " + skew);
            }
        }
    }

    /**
     * All begin within one telling, so no shard knows what another has granted: its own are even, and add up by chance.
     */
    @Test
    void shardsThatDoNotKnowOfEachOtherYetSpreadBetterThanByChance() {
        for (int shards : new int[] {2, 4, 16}) {
            double before = meanSkew(8, shards, 128, false, 0);
            double after = meanSkew(8, shards, 128, true, 0);
            System.out.printf(
                    "8 servers, %d shards, 128 writers at once: %.3f by chance, %.3f%n", shards, before, after);
            assertTrue(after - 1 < (before - 1) * 0.75, shards + " shards: " + before + ", " + after);
        }
    }

    /** Writers come over ten seconds; each server tells each shard every two. */
    @Test
    void shardsThatHearOfEachOtherMendWhatChanceHasLeft() {
        for (int shards : new int[] {2, 4, 16}) {
            double before = meanSkew(8, shards, 128, false, 80);
            double after = meanSkew(8, shards, 128, true, 80);
            System.out.printf(
                    "8 servers, %d shards, 128 writers in 10 s: %.3f by chance, %.3f%n", shards, before, after);
            assertTrue(after - 1 < (before - 1) * 0.6, shards + " shards: " + before + ", " + after);
        }
    }

    /** The writers of a job end within half a second, and those of the next one begin at once. */
    @Test
    void writersOfAJobThatHasEndedDoNotKeepThoseOfTheNextFromTheirServers() {
        for (int shards : new int[] {1, 2, 4}) {
            double idle = meanSkewOfNextJob(shards, 0, true);
            double before = meanSkewOfNextJob(shards, 32, false);
            double after = meanSkewOfNextJob(shards, 32, true);
            System.out.printf(
                    "8 servers, %d shards, 8 writers at once: %.3f on idle servers, %.3f behind 32 that were told of,"
                            + " %.3f%n",
                    shards, idle, before, after);
            assertTrue(after < idle + 0.1, shards + " shards: " + idle + ", " + before + ", " + after);
        }
    }

    /**
     * @param first how many writers the first job has
     * @param ending whether leaders hear of the end of a writer
     */
    private static double meanSkewOfNextJob(int shards, int first, boolean ending) {
        double sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Cluster cluster = new Cluster(8, shards, true, round);
            Random random = new Random(round);
            int[] servers = new int[first];
            for (int writer = 0; writer < servers.length; writer++) {
                servers[writer] = cluster.write(writer % shards, round * 1_000L + writer);
            }
            for (int i = 0; i < 100; i++) {
                cluster.pass(50);
            }
            for (int writer = 0; writer < servers.length; writer++) {
                cluster.end(writer % shards, servers[writer], ending);
                cluster.pass(random.nextInt(30));
            }
            for (int writer = 0; writer < 8; writer++) {
                int unused = cluster.write(writer % shards, round * 1_000L + 500 + writer);
            }
            sum += Arrays.stream(cluster.open).max().orElseThrow();
        }
        return sum / ROUNDS;
    }

    /**
     * Thirty-two leaders see the same idle server among ones with four writers: each brings it to four at most before
     * the next telling, and none gives it more after that.
     */
    @Test
    void serverThatManyLeadersSeeIdleGetsNoMoreAfterTheNextTelling() {
        Cluster cluster = new Cluster(8, 32, true, 7);
        Arrays.fill(cluster.open, 1, 8, 4);
        cluster.tellAll();
        for (int writer = 0; writer < 32 * 8; writer++) {
            int unused = cluster.write(writer % 32, writer);
        }
        int flooded = cluster.open[0];
        assertTrue(flooded > 32 && flooded <= 32 * 5, "it got " + flooded);
        cluster.tellAll();
        for (int writer = 0; writer < 128; writer++) {
            int unused = cluster.write(writer % 32, 1_000 + writer);
        }
        assertTrue(cluster.open[0] <= flooded + 2, "it got more: " + (cluster.open[0] - flooded));
    }

    @Test
    void writersAreSpreadInProportionToRoom() {
        Cluster cluster = new Cluster(4, 1, true, 3);
        cluster.freeBytes[0] = 3L << 40;
        for (int writer = 0; writer < 60; writer++) {
            int unused = cluster.write(0, writer);
        }
        assertTrue(Math.abs(cluster.open[0] - 30) <= 1, Arrays.toString(cluster.open));
    }

    /** @param pauseMillis between two writers; those of a round come from random shards */
    private static double meanSkew(int servers, int shards, int writers, boolean counting, long pauseMillis) {
        double sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Cluster cluster = new Cluster(servers, shards, counting, round);
            Random random = new Random(round);
            for (int writer = 0; writer < writers; writer++) {
                int unused = cluster.write(random.nextInt(shards), round * 1_000L + writer);
                cluster.pass(pauseMillis);
            }
            sum += (double) Arrays.stream(cluster.open).max().orElseThrow() * servers / writers;
        }
        return sum / ROUNDS;
    }

    /** Servers and the leaders of shards. */
    private static final class Cluster {
        final ManualClock clock = new ManualClock();
        final int[] open;
        final long[] freeBytes;
        private final RecentCount[][] openedBy;
        private final long[][] dueMillis;
        private final List<WriterCounts> shards;
        private final boolean counting;
        private final long seed;

        Cluster(int servers, int shards, boolean counting, long seed) {
            this.open = new int[servers];
            this.freeBytes = new long[servers];
            Random random = new Random(seed);
            Arrays.setAll(freeBytes, server -> (1L << 40) + random.nextInt(1 << 30));
            this.openedBy = new RecentCount[shards][servers];
            this.dueMillis = new long[shards][servers];
            for (int shard = 0; shard < shards; shard++) {
                Arrays.setAll(openedBy[shard], server -> new RecentCount());
                Arrays.setAll(dueMillis[shard], server -> random.nextInt(2_000));
            }
            this.shards = IntStream.range(0, shards)
                    .mapToObj(shard -> new WriterCounts(clock))
                    .toList();
            this.counting = counting;
            this.seed = seed;
        }

        /** Returns the index of its server. */
        int write(int shard, long file) {
            WriterLoads writers = counting ? shards.get(shard) : WriterLoads.NONE;
            List<Candidate> candidates = IntStream.range(0, open.length)
                    .mapToObj(id -> new Candidate(new ServerId(id + 1), "host-" + id, "/rack", freeBytes[id]))
                    .toList();
            ServerId server = BlockPlacer.place(
                            candidates, candidate -> true, writers::on, "", 1, seed * 31 + file * 257 + shard)
                    .get(0);
            writers.granted(server);
            int index = server.value() - 1;
            open[index]++;
            openedBy[shard][index].add(clock.monotonicNanos());
            return index;
        }

        void end(int shard, int server, boolean hears) {
            open[server]--;
            if (hears) {
                shards.get(shard).ended(new ServerId(server + 1));
            }
        }

        void pass(long millis) {
            clock.advance(Duration.ofMillis(millis));
            tellWhatIsDue(millis);
        }

        /** Every server tells every shard. */
        void tellAll() {
            for (int shard = 0; shard < shards.size(); shard++) {
                for (int server = 0; server < open.length; server++) {
                    tell(shard, server);
                }
            }
        }

        /** Each server tells each shard every two seconds, at a moment of its own. */
        private void tellWhatIsDue(long passedMillis) {
            for (int shard = 0; shard < shards.size(); shard++) {
                for (int server = 0; server < open.length; server++) {
                    dueMillis[shard][server] -= passedMillis;
                    if (dueMillis[shard][server] < 0) {
                        dueMillis[shard][server] += 2_000;
                        tell(shard, server);
                    }
                }
            }
        }

        private void tell(int shard, int server) {
            long now = clock.monotonicNanos();
            int all = Arrays.stream(openedBy)
                    .mapToInt(servers -> servers[server].total(now))
                    .sum();
            shards.get(shard)
                    .told(GiveCreditsRequest.newBuilder()
                            .setServerId(server + 1)
                            .setWriters(open[server])
                            .setWritersOpened(openedBy[shard][server].total(now))
                            .setWritersOpenedAll(all)
                            .build());
        }
    }
}
