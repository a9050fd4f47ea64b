package io.tatami.benchmarks.micro;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.CompleteFile;
import io.tatami.meta.op.file.CreateFile;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileUtil;
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
    private static final long BLOCK_BYTES = 256L << 20;
    private static final ByteString CONTENT = ByteString.copyFrom(new byte[100]);

    /** Files made in one batch. */
    @Param({"1", "16", "64"})
    public int files;

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of a benchmark"));
    private final CreateFile create = new CreateFile(new HandleCheck(signer), FileLimits.DEFAULT);
    private final CompleteFile complete = new CompleteFile(FileLimits.DEFAULT);
    private final Caller caller = new Caller("alice", List.of("users"), false);
    private final RequestContext context =
            new RequestContext(caller, new SessionId(1), 1_000, Set.of(), ClusterMap.getDefaultInstance());
    private final SignedHandle handle = signer.sign(Handle.newBuilder()
            .setDirectoryId(7)
            .addAncestorId(DirectoryId.ROOT.value())
            .setVersion(1)
            .setExpiresMillis(Long.MAX_VALUE)
            .setAttributes(
                    Attributes.newBuilder().setOwner("alice").setGroup("users").setMode(0755))
            .setSpread(1)
            .setUser("alice")
            .addUserGroup("users")
            .build());

    private @Nullable StoreMemory memory;
    private @Nullable GroupStore store;
    private @Nullable LocalLog log;
    private Path directory = Path.of("");
    private long number;

    /** A store on the disk of the working directory: what lies in memory only has no flush to measure. */
    @Setup
    public void open() throws Exception {
        directory = Files.createTempDirectory(Path.of("").toAbsolutePath(), "decide-apply");
        memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
        store = GroupStore.create(directory.resolve("store"), memory);
        log = new LocalLog(
                new LocalLog.Place(directory.resolve("store"), new UUID(1, 1), GroupId.ofShard(0)),
                store,
                Settings.defaults().get(LocalLog.FILE_BYTES));
        Draft first = new Draft(store.newest());
        first.put(
                Keys.singleton("group"),
                GroupRecord.newBuilder().setGroup(0).setShards(1).build().toByteArray());
        commit(first);
    }

    @TearDown
    public void close() {
        Objects.requireNonNull(log).close();
        Objects.requireNonNull(store).close();
        Objects.requireNonNull(memory).close();
        FileUtil.fullyDelete(directory.toFile());
    }

    /** The batch is dropped. */
    @Benchmark
    public Draft decide() throws Exception {
        return decideBatch();
    }

    /** The batch is applied and on the device, as before any reply. */
    @Benchmark
    public void decideAndApply() throws Exception {
        commit(decideBatch());
    }

    private Draft decideBatch() throws TatamiException, UnsettledException {
        Draft batch = new Draft(Objects.requireNonNull(store).newest());
        for (int i = 0; i < files; i++) {
            CreateReply created = run(batch, create, creation("file-" + number++));
            run(batch, complete, completion(created));
        }
        return batch;
    }

    private <Q extends Message, R extends Message> R run(Draft batch, Operation<ShardState, Q, R> operation, Q request)
            throws TatamiException, UnsettledException {
        Draft draft = new Draft(batch);
        R reply = operation.decide(new ShardState(draft), context, request);
        draft.mergeInto(batch);
        return reply;
    }

    private CreateRequest creation(String name) {
        return CreateRequest.newBuilder()
                .setHandle(handle)
                .setName(name)
                .setModes(CreateModes.newBuilder().setUnmasked(0666).setMasked(0644))
                .setReplication(1)
                .setBlockSize(BLOCK_BYTES)
                .build();
    }

    private static CompleteRequest completion(CreateReply created) {
        return CompleteRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setInline(CONTENT)
                .build();
    }

    private void commit(Draft batch) throws TatamiException {
        long index = Objects.requireNonNull(store).appliedIndex() + 1;
        Objects.requireNonNull(log).commit(new LogEntry(index, 1_000, batch.changes()));
    }
}
