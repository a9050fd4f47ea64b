package io.tatami.meta.op.rename;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.outbox.Deliver;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.EndMovesRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The steps of a rename across two shards in orders that a network makes of them. */
final class MoveStepsTest {
    private static final int SHARDS = 2;
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("u", List.of(), true), new SessionId(1), 1_000);

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
    private final HandleCheck handles = new HandleCheck(signer);
    private final MemoryView[] stores = {store(0), store(1)};

    /** One directory in each shard. */
    private final DirectoryId[] directories = {directoryIn(0), directoryIn(1)};

    @Test
    void prepareThatComesAfterTheEndHarmsNoNewFileOfThatName() throws Exception {
        create(0, "f");
        RenameFileRequest rename = rename(0, "f", 1, "g");
        long move = submit(1, new BeginMove(handles), rename).getTransactionId();
        PrepareMoveReply prepared = prepare(move, rename);
        commit(move, rename, prepared);
        submit(0, new FinishMove(), finish(move, true, "f", prepared.getMark()));
        long created = create(0, "f");

        PrepareMoveReply late = prepare(move, rename);
        MoveStatusReply status = submit(
                1,
                new MoveStatus(),
                MoveStatusRequest.newBuilder()
                        .setTransactionId(move)
                        .setMark(late.getMark())
                        .build());
        assertFalse(status.getCommitted());
        submit(0, new FinishMove(), finish(move, status.getCommitted(), "f", late.getMark()));

        EntryRecord entry = Objects.requireNonNull(state(0).entry(directories[0], "f"));
        assertEquals(created, entry.getFile().getFileId());
        assertEquals(0, entry.getLeavingTransaction());
        assertEquals(0, state(0).slice(directories[0]).getMoving());
    }

    @Test
    void olderMoveAbortsTheYoungerOneWhoseNameItTakes() throws Exception {
        create(0, "f");
        create(1, "g");
        RenameFileRequest there = rename(0, "f", 1, "g");
        RenameFileRequest back = rename(1, "g", 0, "f");
        long older = submit(0, new BeginMove(handles), back).getTransactionId();
        long younger = submit(1, new BeginMove(handles), there).getTransactionId();
        assertEquals(1, Long.compare(younger, older));

        assertThrows(UnsettledException.class, () -> prepare(younger, there));
        PrepareMoveReply prepared = prepare(1, 0, older, back, "g");

        assertNull(state(1).transaction(new TransactionId(younger)));
        assertThrows(TatamiException.class, () -> commit(younger, there, prepared));
        assertEquals(
                older,
                Objects.requireNonNull(state(1).entry(directories[1], "g")).getLeavingTransaction());
    }

    /** It was on its way while the file went to another shard, and came back under the same name. */
    @Test
    void whatIsLateAboutAFilesContentReplacesNothingNewer() throws Exception {
        FileClosed closed = FileClosed.newBuilder()
                .setFileId(create(0, "f"))
                .setParentId(directories[0].value())
                .setName("f")
                .setContentVersion(2)
                .setLength(7)
                .build();
        deliver(1, closed);
        deliver(
                2,
                closed.toBuilder()
                        .setContentVersion(1)
                        .setLength(0)
                        .setOpen(true)
                        .build());
        FileEntry entry =
                Objects.requireNonNull(state(0).entry(directories[0], "f")).getFile();
        assertEquals(7, entry.getLength());
        assertFalse(entry.getOpen());
        assertEquals(7, state(0).slice(directories[0]).getBytes());
        deliver(3, closed.toBuilder().setContentVersion(3).setLength(9).build());
        assertEquals(9, state(0).slice(directories[0]).getBytes());
    }

    private void deliver(long number, FileClosed closed) throws Exception {
        OutboxDelivery message = OutboxDelivery.newBuilder()
                .setFromGroup(1)
                .setNumber(number)
                .setClosed(closed)
                .build();
        submit(0, new Deliver(), message);
    }

    @Test
    void commitAfterTheDestinationWasToldOfADeletionIsRefusedAndLeavesBoth() throws Exception {
        create(0, "f");
        RenameFileRequest rename = rename(0, "f", 1, "g");
        long move = submit(1, new BeginMove(handles), rename).getTransactionId();
        PrepareMoveReply prepared = prepare(move, rename);
        change(1, state -> {
            state.putGateNewest(new TreeVersion(9));
            state.putGate(
                    directories[0],
                    state.gate(directories[0]).toBuilder().setVersion(9).build());
        });

        TatamiException refused = assertThrows(TatamiException.class, () -> commit(move, rename, prepared));
        assertEquals(ErrorCode.STALE_HANDLE, refused.code());
        change(1, state -> AbortMove.abort(state, new TransactionId(move)));
        submit(0, new FinishMove(), finish(move, false, "f", 0));
        assertNotNull(MoveMarks.standing(state(0).entry(directories[0], "f")));
        assertNull(state(1).entry(directories[1], "g"));
    }

    /** The source was told of the abort and let its entry go; the one that drives the move has not heard of it. */
    @Test
    void commitAfterAnAbortLeavesTheFileItsOneName() throws Exception {
        long file = create(0, "f");
        RenameFileRequest rename = rename(0, "f", 1, "g");
        long move = submit(1, new BeginMove(handles), rename).getTransactionId();
        PrepareMoveReply prepared = prepare(move, rename);
        MoveStatusReply aborted = submit(
                1, new AbortMove(), MoveStep.newBuilder().setTransactionId(move).build());
        submit(0, new FinishMove(), finish(move, aborted.getCommitted(), "f", prepared.getMark()));

        Optional<ErrorCode> refusal = Optional.empty();
        try {
            commit(move, rename, prepared);
        } catch (TatamiException e) {
            refusal = Optional.of(e.code());
        }

        assertEquals(List.of("f in shard 0"), namesOf(file));
        assertEquals(Optional.of(ErrorCode.BUSY), refusal);
        assertEquals(0, state(1).slice(directories[1]).getMoving());
    }

    /** In both directories, of the names that tests use. */
    private List<String> namesOf(long file) {
        List<String> names = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            for (String name : List.of("f", "g")) {
                EntryRecord entry = MoveMarks.standing(state(shard).entry(directories[shard], name));
                if (entry != null && entry.getFile().getFileId() == file) {
                    names.add(name + " in shard " + shard);
                }
            }
        }
        return names;
    }

    @Test
    void moveOntoAnExistingFileWithoutOverwriteFailsBeforeAnythingIsMarked() throws Exception {
        create(0, "f");
        create(1, "g");
        RenameFileRequest rename =
                rename(0, "f", 1, "g").toBuilder().setOverwrite(false).build();
        TatamiException refused = assertThrows(TatamiException.class, () -> submit(1, new BeginMove(handles), rename));
        assertEquals(ErrorCode.ALREADY_EXISTS, refused.code());
        assertEquals(0, state(1).slice(directories[1]).getMoving());
    }

    @Test
    void overwrittenFileOfAnotherHomeIsUnlinkedThere() throws Exception {
        create(0, "f");
        long replaced = create(1, "g");
        RenameFileRequest rename = rename(0, "f", 1, "g");
        long move = submit(1, new BeginMove(handles), rename).getTransactionId();
        commit(move, rename, prepare(move, rename));
        assertNull(state(1).home(new FileId(replaced)));
        assertEquals(1, state(1).slice(directories[1]).getFiles());
    }

    @Test
    void commitTakesTheRecordsOfMovesAlongThatAreFinishedButOfNoPendingOne() throws Exception {
        create(0, "f");
        RenameFileRequest first = rename(0, "f", 1, "g");
        long finished = submit(1, new BeginMove(handles), first).getTransactionId();
        PrepareMoveReply prepared = prepare(finished, first);
        commit(finished, first, prepared);
        submit(0, new FinishMove(), finish(finished, true, "f", prepared.getMark()));
        long pending = submit(1, new BeginMove(handles), rename(0, "x", 1, "y")).getTransactionId();

        create(0, "f");
        RenameFileRequest next = rename(0, "f", 1, "h");
        long move = submit(1, new BeginMove(handles), next).getTransactionId();
        commit(move, next, prepare(move, next), finished, pending);

        assertNull(state(1).transaction(new TransactionId(finished)));
        assertNotNull(state(1).transaction(new TransactionId(pending)));
        assertNotNull(state(1).transaction(new TransactionId(move)));
    }

    private interface Change {
        void make(ShardState state) throws TatamiException;
    }

    private void change(int shard, Change change) throws TatamiException {
        Draft draft = new Draft(stores[shard]);
        change.make(new ShardState(draft));
        stores[shard].apply(draft);
    }

    private <Q extends com.google.protobuf.Message, R extends com.google.protobuf.Message> R submit(
            int shard, Operation<ShardState, Q, R> operation, Q request) throws TatamiException, UnsettledException {
        Draft draft = new Draft(stores[shard]);
        R reply = operation.decide(new ShardState(draft), CONTEXT, request);
        stores[shard].apply(draft);
        return reply;
    }

    private PrepareMoveReply prepare(long move, RenameFileRequest rename) throws TatamiException, UnsettledException {
        return prepare(0, 1, move, rename, "f");
    }

    private PrepareMoveReply prepare(int source, int destination, long move, RenameFileRequest rename, String name)
            throws TatamiException, UnsettledException {
        return submit(
                source,
                new PrepareMove(handles),
                PrepareMoveRequest.newBuilder()
                        .setTransactionId(move)
                        .setSourceHandle(rename.getSourceHandle())
                        .setSourceName(name)
                        .setDestinationGroup(destination)
                        .setUser("u")
                        .setSuperuser(true)
                        .build());
    }

    private void commit(long move, RenameFileRequest rename, PrepareMoveReply prepared, long... ended)
            throws Exception {
        var committed = submit(
                1,
                new CommitMove(handles),
                CommitMoveRequest.newBuilder()
                        .setTransactionId(move)
                        .setRename(rename)
                        .setEntry(EntryRecord.parseFrom(prepared.getEntry()))
                        .setMark(prepared.getMark())
                        .setEnded(EndMovesRequest.newBuilder()
                                .addAllTransactionId(
                                        Arrays.stream(ended).boxed().toList()))
                        .build());
        assertNotNull(committed);
    }

    private FinishMoveRequest finish(long move, boolean committed, String name, long mark) {
        return FinishMoveRequest.newBuilder()
                .setTransactionId(move)
                .setCommitted(committed)
                .setParentId(directories[0].value())
                .setName(name)
                .setMark(mark)
                .build();
    }

    private long create(int shard, String name) throws TatamiException {
        long[] created = new long[1];
        change(shard, state -> {
            FileId file = state.mintFile();
            EntryRecord entry = EntryRecord.newBuilder()
                    .setFile(FileEntry.newBuilder().setFileId(file.value()).setReplication(1))
                    .build();
            state.entries().changeName(directories[shard], name, entry, 1);
            state.putHome(file, HomeRecord.newBuilder().setEntryGroup(shard).build());
            created[0] = file.value();
        });
        return created[0];
    }

    private RenameFileRequest rename(int from, String source, int to, String destination) {
        return RenameFileRequest.newBuilder()
                .setSourceHandle(handle(directories[from]))
                .setSourceName(source)
                .setDestinationHandle(handle(directories[to]))
                .setDestinationName(destination)
                .setOverwrite(true)
                .build();
    }

    private SignedHandle handle(DirectoryId directory) {
        return signer.sign(Handle.newBuilder()
                .setDirectoryId(directory.value())
                .setVersion(1)
                .setSpread(1)
                .setUser("u")
                .setExpiresMillis(Long.MAX_VALUE)
                .build());
    }

    private ShardState state(int shard) {
        return new ShardState(new Draft(stores[shard]));
    }

    private static MemoryView store(int shard) {
        MemoryView store = new MemoryView();
        Draft format = new Draft(store);
        format.put(
                Keys.singleton("group"),
                GroupRecord.newBuilder()
                        .setGroup(shard)
                        .setShards(SHARDS)
                        .build()
                        .toByteArray());
        store.apply(format);
        return store;
    }

    private static DirectoryId directoryIn(int shard) {
        for (long id = 2; ; id++) {
            DirectoryId directory = new DirectoryId(id);
            if (Placement.shardOf(directory, "", 1, SHARDS).equals(GroupId.ofShard(shard))) {
                return directory;
            }
        }
    }
}
