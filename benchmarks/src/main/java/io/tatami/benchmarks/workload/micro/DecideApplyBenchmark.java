package io.tatami.benchmarks.workload.micro;

import com.google.protobuf.ByteString;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import java.util.Objects;
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
 * Files made and closed by a shard's operations on its own store, without clients and threads: what one batch costs to
 * decide, and to decide and make durable.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DecideApplyBenchmark {
    private static final ByteString CONTENT = ByteString.copyFrom(new byte[100]);

    /** Files made in one batch. */
    @Param({"1", "16", "64"})
    public int files;

    private final CompleteFile complete = new CompleteFile(FileLimits.DEFAULT);
    private @Nullable BenchedShard shard;
    private @Nullable CreateFile create;

    @Setup
    public void open() throws Exception {
        shard = new BenchedShard(ClusterMap.getDefaultInstance());
        create = new CreateFile(shard.handleCheck(), FileLimits.DEFAULT);
    }

    @TearDown
    public void close() {
        Objects.requireNonNull(shard).close();
    }

    /** The batch is dropped. */
    @Benchmark
    public Draft decide() throws Exception {
        return decideBatch(Objects.requireNonNull(shard), Objects.requireNonNull(create));
    }

    /** The batch is applied and on the device, as before any reply. */
    @Benchmark
    public void decideAndApply() throws Exception {
        BenchedShard onDisk = Objects.requireNonNull(shard);
        onDisk.commit(decideBatch(onDisk, Objects.requireNonNull(create)));
    }

    private Draft decideBatch(BenchedShard on, CreateFile creates) throws TatamiException, UnsettledException {
        Draft batch = on.batch();
        for (int i = 0; i < files; i++) {
            CreateReply created = on.run(batch, creates, on.creation().build());
            on.run(batch, complete, completion(created));
        }
        return batch;
    }

    private static CompleteRequest completion(CreateReply created) {
        return CompleteRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setInline(CONTENT)
                .build();
    }
}
