package io.tatami.benchmarks.workload.micro;

import io.tatami.base.Check;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CreateReply;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A file made with a place for its first block, three copies, as a group's thread decides it in clusters of any size.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PlacementBenchmark {
    private static final int RACK_SERVERS = 40;

    /** Block servers of the cluster. */
    @Param({"10", "100", "1000", "3000"})
    public int servers;

    /** One in so many servers has credits left. */
    @Param({"1", "50"})
    public int creditEvery;

    private @Nullable BenchedShard shard;
    private @Nullable CreateFile create;

    @Setup
    public void open() throws Exception {
        Random random = new Random(1);
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (int id = 1; id <= servers; id++) {
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(id)
                    .setHost("host-" + id)
                    .setRack("/rack-" + id / RACK_SERVERS)
                    .setFreeBytes((1L << 40) + (random.nextInt() & 0xffffffffL))
                    .setState(BlockServerInfo.State.ACTIVE));
        }
        shard = new BenchedShard(map.build());
        create = new CreateFile(shard.handleCheck(), FileLimits.DEFAULT);
        Draft credits = shard.batch();
        for (int id = 1; id <= servers; id += creditEvery) {
            new ShardState(credits)
                    .putCredit(
                            new ServerId(id),
                            CreditRecord.newBuilder().setBlocks(1_000).build());
        }
        shard.commit(credits);
    }

    @TearDown
    public void close() {
        Objects.requireNonNull(shard).close();
    }

    /** The file is dropped, and with it the credits that it took. */
    @Benchmark
    public CreateReply createWithAGrant() throws Exception {
        BenchedShard on = Objects.requireNonNull(shard);
        CreateReply reply = on.run(
                on.batch(),
                Objects.requireNonNull(create),
                on.creation()
                        .setReplication(3)
                        .setGrants(1)
                        .setClientHost("host-7")
                        .build());
        Check.check(reply.getGrantCount() == 1, "no place among %d servers", servers);
        return reply;
    }
}
