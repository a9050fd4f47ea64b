package io.tatami.meta.op.file;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The only shard of a cluster with two block servers, over a store in memory, asked operation by operation; every
 * operation that succeeds is applied at once. Fields say who asks, under which session and when.
 */
public final class FileShard {
    public static final DirectoryId HOME = new DirectoryId(7);
    public static final SessionId WRITER = new SessionId(100);
    public static final SessionId OTHER = new SessionId(200);
    public static final long BLOCK_SIZE = 1_000;

    public final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of a test shard"));
    public final HandleCheck handles = new HandleCheck(signer);
    public Caller caller = new Caller("alice", List.of("users"), false);
    public SessionId session = WRITER;
    public long nowMillis = 1_000;

    /** What handles are made of. */
    public Attributes directory = Attributes.newBuilder()
            .setOwner("alice")
            .setGroup("users")
            .setMode(0755)
            .build();

    public Set<TreeVersion> settled = Set.of();
    public boolean creditsAwaited = true;
    public boolean treeAsked;
    public long treeVersion = 1;
    public long expiresMillis = Long.MAX_VALUE;

    private final MemoryView store = new MemoryView();
    private final ClusterMap cluster = ClusterMap.newBuilder()
            .addBlockServer(server(1, "one"))
            .addBlockServer(server(2, "two"))
            .build();

    public FileShard() {
        change(state -> {
            state.draft()
                    .put(
                            Keys.singleton("group"),
                            GroupRecord.newBuilder()
                                    .setGroup(0)
                                    .setShards(1)
                                    .build()
                                    .toByteArray());
            for (int server = 1; server <= 2; server++) {
                state.putCredit(
                        new ServerId(server),
                        CreditRecord.newBuilder().setBlocks(1_000_000).build());
            }
        });
    }

    private static BlockServerInfo server(int id, String host) {
        return BlockServerInfo.newBuilder()
                .setServerId(id)
                .setHost(host)
                .setRack("/rack" + id)
                .setState(BlockServerInfo.State.ACTIVE)
                .setFreeBytes(1L << 40)
                .build();
    }

    public MemoryView store() {
        return store;
    }

    public GroupId id() {
        return GroupId.ofShard(0);
    }

    /** Changes records behind the operations' back. */
    public void change(Consumer<ShardState> changes) {
        Draft draft = new Draft(store);
        changes.accept(new ShardState(draft));
        store.apply(draft);
    }

    /** Another leader takes over: volatile records are gone. */
    public void loseLeader() {
        List<byte[]> lost = new ArrayList<>();
        byte[] from = Keys.volatiles();
        try (View.Cursor cursor = store.scan(from, Keys.after(from))) {
            while (cursor.next()) {
                lost.add(cursor.key());
            }
        }
        change(state -> lost.forEach(state.draft()::delete));
    }

    public ShardState state() {
        return new ShardState(new Draft(store));
    }

    public RequestContext context() {
        return new RequestContext(
                caller, session, nowMillis, nowMillis, settled, cluster, creditsAwaited, treeAsked, "");
    }

    public <Q extends Message, R extends Message> R run(Operation<ShardState, Q, R> operation, Q request)
            throws TatamiException, UnsettledException {
        return run(operation, request, context());
    }

    public <Q extends Message, R extends Message> R run(
            Operation<ShardState, Q, R> operation, Q request, RequestContext context)
            throws TatamiException, UnsettledException {
        Draft draft = new Draft(store);
        R reply = operation.decide(new ShardState(draft), context, request);
        store.apply(draft);
        return reply;
    }

    /** The code with which an operation refuses; it leaves no trace. */
    public <Q extends Message, R extends Message> ErrorCode refusal(Operation<ShardState, Q, R> operation, Q request)
            throws UnsettledException {
        try {
            R reply = run(operation, request);
            throw new AssertionError(operation.getClass().getSimpleName() + " answered " + reply);
        } catch (TatamiException e) {
            return e.code();
        }
    }

    public SignedHandle handle() {
        return handle(HOME);
    }

    public SignedHandle handle(DirectoryId id) {
        return signer.sign(Handle.newBuilder()
                .setDirectoryId(id.value())
                .addAncestorId(DirectoryId.ROOT.value())
                .setVersion(treeVersion)
                .setExpiresMillis(expiresMillis)
                .setAttributes(directory)
                .setSpread(1)
                .setUser(caller.user())
                .build());
    }

    public CreateRequest.Builder creation(String name) {
        return CreateRequest.newBuilder()
                .setHandle(handle())
                .setName(name)
                .setModes(CreateModes.newBuilder().setUnmasked(0666).setMasked(0644))
                .setReplication(1)
                .setBlockSize(BLOCK_SIZE)
                .setClientHost("two");
    }

    public CreateReply create(String name, int grants) throws TatamiException, UnsettledException {
        return run(
                new CreateFile(handles, FileLimits.DEFAULT),
                creation(name).setGrants(grants).build());
    }

    /** A closed file whose blocks have these lengths. */
    public FileId written(String name, long... lengths) throws TatamiException, UnsettledException {
        CreateReply created = create(name, 0);
        CompleteRequest.Builder complete =
                CompleteRequest.newBuilder().setFileId(created.getStatus().getId());
        for (long length : lengths) {
            AddBlocksRequest more = AddBlocksRequest.newBuilder()
                    .setFileId(created.getStatus().getId())
                    .addAllWritten(complete.getWrittenList())
                    .setGrants(1)
                    .build();
            Grant grant = run(new AddBlocks(), more).getGrant(0);
            complete.clearWritten().addWritten(report(grant, length));
        }
        run(new CompleteFile(FileLimits.DEFAULT), complete.build());
        return new FileId(created.getStatus().getId());
    }

    /** A closed file that is stored inline. */
    public FileId inline(String name, String content) throws TatamiException, UnsettledException {
        CreateReply created = create(name, 0);
        complete(CompleteRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setInline(ByteString.copyFromUtf8(content)));
        return new FileId(created.getStatus().getId());
    }

    public Status complete(CompleteRequest.Builder request) throws TatamiException, UnsettledException {
        return run(new CompleteFile(FileLimits.DEFAULT), request.build()).getStatus();
    }

    public AppendReply append(String name) throws TatamiException, UnsettledException {
        return run(
                new AppendFile(handles),
                AppendRequest.newBuilder().setHandle(handle()).setName(name).build());
    }

    /** As an open by a reader sees it. */
    public Status open(String name) throws TatamiException, UnsettledException {
        return run(
                        new Lookup(handles),
                        LookupRequest.newBuilder()
                                .setHandle(handle())
                                .setName(name)
                                .setOpen(true)
                                .build())
                .getStatus();
    }

    public HomeRecord home(FileId file) {
        HomeRecord home = state().home(file);
        if (home == null) {
            throw new AssertionError(file + " is gone");
        }
        return home;
    }

    public static BlockReport report(Grant grant, long length) {
        return BlockReport.newBuilder()
                .setBlockId(grant.getBlockId())
                .setGeneration(grant.getGeneration())
                .setLength(length)
                .build();
    }
}
