package io.tatami.benchmarks.workload.micro;

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
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.fs.FileUtil;

/**
 * A shard's store and log on the disk of the working directory, where operations are decided without clients and
 * threads: what lies in memory only has no flush to measure. For one thread.
 */
final class BenchedShard implements AutoCloseable {
    private static final long BLOCK_BYTES = 256L << 20;

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of a benchmark"));
    private final SignedHandle directoryHandle = signer.sign(Handle.newBuilder()
            .setDirectoryId(7)
            .addAncestorId(DirectoryId.ROOT.value())
            .setVersion(1)
            .setExpiresMillis(Long.MAX_VALUE)
            .setAttributes(
                    Attributes.newBuilder().setOwner("alice").setGroup("users").setMode(0755))
            .setSpread(1)
            .setUser("alice")
            .build());
    private final RequestContext context;
    private final Path directory;
    private final StoreMemory memory;
    private final GroupStore store;
    private final LocalLog log;
    private long number;

    /** @param cluster the map by which blocks are placed */
    BenchedShard(ClusterMap cluster) throws Exception {
        Caller caller = new Caller("alice", List.of("users"), false);
        context = new RequestContext(caller, new SessionId(1), 1_000, Set.of(), cluster);
        directory = Files.createTempDirectory(Path.of("").toAbsolutePath(), "benched-shard");
        memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
        store = GroupStore.create(directory.resolve("store"), memory);
        log = new LocalLog(
                new LocalLog.Location(directory.resolve("store"), new UUID(1, 1), GroupId.ofShard(0)),
                store,
                Settings.defaults().get(LocalLog.FILE_BYTES));
        Draft first = batch();
        first.put(
                Keys.singleton("group"),
                GroupRecord.newBuilder().setGroup(0).setShards(1).build().toByteArray());
        commit(first);
    }

    HandleCheck handleCheck() {
        return new HandleCheck(signer);
    }

    /** An empty draft over what was committed. */
    Draft batch() {
        return new Draft(store.liveView());
    }

    /** Decides one request in the batch, which then has what the request writes. */
    <Q extends Message, R extends Message> R run(Draft batch, Operation<ShardState, Q, R> operation, Q request)
            throws TatamiException, UnsettledException {
        Draft draft = new Draft(batch);
        R reply = operation.decide(new ShardState(draft), context, request);
        draft.mergeInto(batch);
        return reply;
    }

    /** Makes the batch durable and applies it, but for volatile records, which are in no log. */
    void commit(Draft batch) throws TatamiException {
        batch.changes().tailMap(Keys.volatiles()).clear();
        log.commit(new LogEntry(store.appliedIndex() + 1, 1_000, batch.changes()));
    }

    /** The creation of a file of a new name. */
    CreateRequest.Builder creation() {
        return CreateRequest.newBuilder()
                .setHandle(directoryHandle)
                .setName("file-" + number++)
                .setModes(CreateModes.newBuilder().setUnmasked(0666).setMasked(0644))
                .setReplication(1)
                .setBlockSize(BLOCK_BYTES);
    }

    @Override
    public void close() {
        log.close();
        store.close();
        memory.close();
        FileUtil.fullyDelete(directory.toFile());
    }
}
