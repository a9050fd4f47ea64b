package io.tatami.meta.op.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.SetFileAttributes;
import io.tatami.meta.op.outbox.Deliver;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.AdvanceHealCursorReply;
import io.tatami.meta.state.wire.AdvanceHealCursorRequest;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CountCopiesRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.ExpandFileNeedRequest;
import io.tatami.meta.state.wire.FailCopiesRequest;
import io.tatami.meta.state.wire.GiveUpCopyRequest;
import io.tatami.meta.state.wire.IntendCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.NeedsPageRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.meta.state.wire.SettleNeedsRequest;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.CopiesWanted;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A closed file of two blocks, of 10 and 5 bytes; the first one waits. The map knows the servers 1 and 2. */
final class CopiesOperationsTest {
    private long monotonicNanos = 7;
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;
    private BlockId block = BlockId.NONE;
    private ServerId holder = ServerId.NONE;
    private ServerId other = ServerId.NONE;

    @BeforeEach
    void write() throws Exception {
        file = shard.written("f", 10, 5);
        BlockRecord first = record();
        block = new BlockId(first.getBlockId());
        holder = new ServerId(first.getServerId(0));
        other = new ServerId(3 - holder.value());
        shard.change(state -> state.needs().put(block, Urgency.UNJUDGED, file, 0));
    }

    private BlockRecord record() {
        return Objects.requireNonNull(shard.state().block(file, 0));
    }

    private NeededBlock seen() throws Exception {
        NeedsPageRequest request =
                NeedsPageRequest.newBuilder().addBlockId(block.value()).build();
        return shard.run(new ReadNeeds(), request).getItem(0);
    }

    private int intend(ServerId server) throws Exception {
        return intend(seen(), server);
    }

    private int intend(NeededBlock seen, ServerId server) throws Exception {
        IntendCopiesRequest request = IntendCopiesRequest.newBuilder()
                .addItem(IntendCopiesRequest.Item.newBuilder()
                        .setSeen(seen)
                        .setUrgency(Urgency.UNDER_REPLICATED.number())
                        .addServerId(server.value()))
                .build();
        return shard.run(new IntendCopies(), request).getItemCount() == 0
                ? 0
                : BlockCopies.on(record(), server).orElseThrow().number();
    }

    private CopiesMadeRequest.Item made(int number) {
        return CopiesMadeRequest.Item.newBuilder()
                .setBlockId(block.value())
                .setCopyNumber(number)
                .setGeneration(record().getGeneration())
                .setLength(10)
                .build();
    }

    private void report(ServerId server, CopiesMadeRequest.Item item) throws Exception {
        shard.run(
                new RecordCopies(),
                CopiesMadeRequest.newBuilder()
                        .setServerId(server.value())
                        .addItem(item)
                        .build());
    }

    private List<ReclaimRecord> reclaims() {
        List<ReclaimRecord> reclaims = new ArrayList<>();
        byte[] prefix = Keys.kind('q');
        try (View.Cursor cursor = shard.store().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                reclaims.add(ShardState.parse(cursor.value(), ReclaimRecord.parser()));
            }
        }
        return reclaims;
    }

    @Test
    void pageTellsWhatABlockIsJudgedBy() throws Exception {
        NeedsPageRequest request = NeedsPageRequest.newBuilder()
                .setUrgency(Urgency.UNJUDGED.number())
                .setLimit(5)
                .build();
        NeededBlock needed = shard.run(new ReadNeeds(), request).getItem(0);
        assertEquals(record(), needed.getBlock());
        assertEquals(1, needed.getWanted());
        assertEquals(List.of(Problem.NONE), needed.getProblemList());
        assertEquals(
                0,
                shard.run(
                                new ReadNeeds(),
                                request.toBuilder()
                                        .setAfterBlockId(block.value())
                                        .build())
                        .getItemCount());
    }

    @Test
    void intendedCopyCountsOnceItIsReported() throws Exception {
        int number = intend(other);
        assertEquals(1, number);
        assertEquals(Urgency.UNDER_REPLICATED, shard.state().needs().urgency(block));
        assertEquals(List.of(holder.value()), record().getServerIdList());
        assertFalse(Objects.requireNonNull(shard.state().replica(other, block)).getHeld());
        report(other, made(number));
        assertEquals(List.of(new Copy(holder, 0), new Copy(other, 1)), BlockCopies.counted(record()));
        assertTrue(Objects.requireNonNull(shard.state().replica(other, block)).getHeld());
        assertEquals(0, record().getIntendedCount());
        MemoryView before = shard.store().copy();
        report(other, made(number));
        assertTrue(shard.store().sameAs(before), "a report that comes again changes something");
    }

    @Test
    void reportThatComesAgainWhileTheBlockIsAppendedToTakesNoCopyAway() throws Exception {
        FileId one = shard.written("g", 10);
        block = new BlockId(Objects.requireNonNull(shard.state().block(one, 0)).getBlockId());
        file = one;
        other = new ServerId(3 - record().getServerId(0));
        shard.change(state -> state.needs().put(block, Urgency.UNJUDGED, file, 0));
        CopiesMadeRequest.Item made = made(intend(other));
        report(other, made);
        shard.append("g");
        assertTrue(record().getOpen());
        report(other, made);
        assertEquals(List.of(), reclaims());
        assertTrue(BlockCopies.counted(record()).contains(new Copy(other, 1)));
    }

    @Test
    void blockThatHasChangedSinceItWasSeenGetsNoIntent() throws Exception {
        NeededBlock seen = seen();
        intend(other);
        assertEquals(0, intend(seen, other));
        assertEquals(1, record().getNewestCopyNumber());
        SettleNeedsRequest settle = SettleNeedsRequest.newBuilder()
                .addItem(SettleNeedsRequest.Item.newBuilder().setSeen(seen).setDone(true))
                .build();
        shard.run(new SettleNeeds(), settle);
        assertNotNull(shard.state().needs().urgency(block), "a block that has changed left the queue");
    }

    @Test
    void copyWithoutItsIntentIsReclaimedByItsNumber() throws Exception {
        report(other, made(4));
        assertEquals(List.of(holder.value()), record().getServerIdList());
        assertEquals(List.of(other.value()), reclaims().get(0).getServerIdList());
        assertEquals(List.of(4), reclaims().get(0).getCopyNumberList());
    }

    @Test
    void copyOfOtherBytesOrAnotherGenerationDoesNotCount() throws Exception {
        int number = intend(other);
        report(other, made(number).toBuilder().setLength(9).build());
        assertEquals(List.of(holder.value()), record().getServerIdList());
        assertEquals(0, record().getIntendedCount());
        assertNull(shard.state().replica(other, block));
        number = intend(other);
        assertEquals(2, number);
        report(other, made(number).toBuilder().setGeneration(77).build());
        assertEquals(List.of(holder.value()), record().getServerIdList());
        assertEquals(2, reclaims().size());
    }

    @Test
    void reportOfAFailureEndsTheIntentAndOfAnotherNumberDoesNot() throws Exception {
        int number = intend(other);
        CopiesMadeRequest.Item failed =
                made(number).toBuilder().setError(ErrorCode.IO_ERROR.number()).build();
        report(other, failed.toBuilder().setCopyNumber(9).build());
        assertEquals(1, record().getIntendedCount());
        report(other, failed);
        assertEquals(0, record().getIntendedCount());
        assertNull(shard.state().replica(other, block));
    }

    @Test
    void copyWithoutANumberIsMalformed() throws Exception {
        CopiesMadeRequest report = CopiesMadeRequest.newBuilder()
                .setServerId(other.value())
                .addItem(made(0))
                .build();
        assertEquals(ErrorCode.MALFORMED, shard.refusal(new RecordCopies(), report));
    }

    @Test
    void copyThatIsNotWaitedForIsReclaimedByItsNumber() throws Exception {
        int number = intend(other);
        FailCopiesRequest fail = FailCopiesRequest.newBuilder()
                .addItem(FailCopiesRequest.Item.newBuilder()
                        .setBlockId(block.value())
                        .setServerId(other.value())
                        .setCopyNumber(number))
                .build();
        shard.run(new FailCopies(), fail);
        assertEquals(0, record().getIntendedCount());
        assertEquals(List.of(number), reclaims().get(0).getCopyNumberList());
        MemoryView before = shard.store().copy();
        shard.run(new FailCopies(), fail);
        assertTrue(shard.store().sameAs(before));
    }

    private GiveUpCopyRequest.Builder giveUp() throws Exception {
        report(other, made(intend(other)));
        return GiveUpCopyRequest.newBuilder()
                .setSeen(seen())
                .setServerId(holder.value())
                .addConfirmed(GiveUpCopyRequest.Confirmed.newBuilder().setServerId(other.value()))
                .setNeeded(1)
                .setMapAskedNanos(monotonicNanos);
    }

    private boolean isGivenUp(GiveUpCopyRequest.Builder request) throws Exception {
        return shard.run(new GiveUpCopy(() -> monotonicNanos), request.build()).getGivenUp();
    }

    @Test
    void confirmedCopyIsLeftWhereOneIsGivenUp() throws Exception {
        assertTrue(isGivenUp(giveUp()));
        assertEquals(List.of(new Copy(other, 1)), BlockCopies.counted(record()));
        assertNull(shard.state().replica(holder, block));
        assertEquals(
                List.of(new Copy(holder, 0)), BlockCopies.reclaimed(reclaims().get(0)));
    }

    @Test
    void copyIsGivenUpOnlyForConfirmedOnes() throws Exception {
        GiveUpCopyRequest.Builder request = giveUp();
        assertFalse(isGivenUp(request.clone().clearConfirmed()));
        assertFalse(isGivenUp(request.clone().clearConfirmed().setNeeded(0)));
        GiveUpCopyRequest.Builder itself = request.clone();
        itself.getConfirmedBuilder(0).setServerId(holder.value());
        assertFalse(isGivenUp(itself), "a copy was given up for itself");
        GiveUpCopyRequest.Builder former = request.clone();
        former.getConfirmedBuilder(0).setIncarnation(5);
        assertFalse(isGivenUp(former), "a process that is no more has confirmed");
        assertFalse(isGivenUp(request.clone().setNeeded(2)));
        assertTrue(isGivenUp(request));
    }

    @Test
    void copyIsNotGivenUpByAnOldMap() throws Exception {
        GiveUpCopyRequest.Builder request = giveUp();
        monotonicNanos += TimeUnit.MILLISECONDS.toNanos(GiveUpCopy.MAP_AGE_MILLIS_MAX + 1);
        assertFalse(isGivenUp(request), "by a wall clock that has not moved");
        monotonicNanos -= TimeUnit.MILLISECONDS.toNanos(1);
        shard.nowMillis += TimeUnit.DAYS.toMillis(1);
        assertTrue(isGivenUp(request));
    }

    @Test
    void copyIsNotGivenUpOfABlockThatHasChanged() throws Exception {
        GiveUpCopyRequest.Builder request = giveUp();
        shard.change(state -> state.putReplica(
                other,
                block,
                Objects.requireNonNull(state.replica(other, block)).toBuilder()
                        .setProblem(Problem.DAMAGED)
                        .build()));
        assertFalse(isGivenUp(request));
        assertFalse(isGivenUp(request.setSeen(seen())), "a damaged copy has confirmed");
        assertEquals(2, record().getServerIdCount());
    }

    @Test
    void whetherADrainHasEndedIsKnownByTheFirstBlockThatKeepsTheServer() throws Exception {
        report(other, made(intend(other)));
        CountCopiesRequest.Builder request =
                CountCopiesRequest.newBuilder().setServerId(holder.value()).setOnlyWhetherDrained(true);
        shard.change(state -> {
            for (long number = 1; number <= 3; number++) {
                state.putReplica(
                        holder,
                        new BlockId(block.value() + number),
                        Objects.requireNonNull(state.replica(holder, block)));
            }
        });
        CopiesStatusReply first = shard.run(new CountCopies(), request.build());
        assertEquals(1, first.getHeldBlocks() + first.getOpenBlocks());
        assertFalse(first.getDrained());
        CopiesStatusReply all =
                shard.run(new CountCopies(), request.clearOnlyWhetherDrained().build());
        assertEquals(4, all.getHeldBlocks() + all.getOpenBlocks());
    }

    private AdvanceHealCursorReply advance(int pass, int limit, long waitingMax) throws Exception {
        return shard.run(
                new AdvanceHealCursor(),
                AdvanceHealCursorRequest.newBuilder()
                        .setServerId(holder.value())
                        .setPass(pass)
                        .setLimit(limit)
                        .setWaitingMax(waitingMax)
                        .addLostServerId(holder.value())
                        .build());
    }

    @Test
    void blocksOfALostServerAreQueuedBehindACursorThatIsLogged() throws Exception {
        shard.change(state -> state.needs().remove(block));
        ServerId server = holder;
        BlockId second =
                new BlockId(Objects.requireNonNull(shard.state().block(file, 1)).getBlockId());
        shard.change(state -> {
            BlockRecord.Builder moved = Objects.requireNonNull(state.block(file, 1)).toBuilder();
            state.removeReplica(new ServerId(moved.getServerId(0)), second);
            moved.clearServerId().addServerId(server.value());
            state.changeBlock(file, 1, moved.build());
            state.putReplica(server, second, Objects.requireNonNull(state.replica(server, block)));
        });
        assertFalse(advance(AdvanceHealCursor.ALL, 1, 100).getDone());
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(block));
        assertNull(shard.state().needs().urgency(second));
        assertEquals(block.value(), shard.state().needs().healCursor(server).getAfterBlockId());
        assertFalse(advance(AdvanceHealCursor.ALL, 1, 100).getDone());
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(second));
        assertTrue(advance(AdvanceHealCursor.ALL, 1, 100).getDone());
        assertEquals(0, shard.state().needs().healCursor(server).getPass());
    }

    private AdvanceHealCursorReply advanceMoved(int rackChanges) throws Exception {
        return shard.run(
                new AdvanceHealCursor(),
                AdvanceHealCursorRequest.newBuilder()
                        .setServerId(holder.value())
                        .setPass(AdvanceHealCursor.MOVED)
                        .setRackChanges(rackChanges)
                        .setLimit(100)
                        .setWaitingMax(100)
                        .build());
    }

    @Test
    void blocksOfAServerInAnotherRackAreQueuedOnceForEachChange() throws Exception {
        shard.change(state -> state.needs().remove(block));
        assertTrue(advanceMoved(2).getDone());
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(block));
        shard.change(state -> state.needs().remove(block));
        assertTrue(advanceMoved(2).getDone());
        assertNull(shard.state().needs().urgency(block));
        assertTrue(advance(AdvanceHealCursor.NO_PASS, 1, 100).getDone());
        assertTrue(advanceMoved(2).getDone());
        assertNull(shard.state().needs().urgency(block));
        assertTrue(advanceMoved(3).getDone());
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(block));
    }

    @Test
    void firstPassQueuesLastCopiesOnly() throws Exception {
        shard.change(state -> state.needs().remove(block));
        assertTrue(advance(AdvanceHealCursor.LAST_COPIES, 9, 100).getDone());
        assertNull(shard.state().needs().urgency(block), "one copy is wanted and no other is good");
        shard.change(state -> state.putHome(
                file,
                Objects.requireNonNull(state.home(file)).toBuilder()
                        .setReplication(2)
                        .build()));
        assertTrue(advance(AdvanceHealCursor.LAST_COPIES, 9, 100).getDone());
        assertEquals(Urgency.LAST_COPY, shard.state().needs().urgency(block));
    }

    @Test
    void cursorWaitsWhileTooManyBlocksDo() throws Exception {
        MemoryView before = shard.store().copy();
        assertTrue(advance(AdvanceHealCursor.ALL, 1, 0).getFull());
        assertTrue(shard.store().sameAs(before));
    }

    @Test
    void firstPassDoesNotWaitForBlocksThatHaveMoreCopies() throws Exception {
        put(Urgency.UNDER_REPLICATED);
        assertTrue(advance(AdvanceHealCursor.ALL, 1, 1).getFull());
        assertFalse(advance(AdvanceHealCursor.LAST_COPIES, 1, 1).getFull());
        put(Urgency.LAST_COPY);
        assertTrue(advance(AdvanceHealCursor.LAST_COPIES, 1, 1).getFull());
    }

    /** The block waits in this class, and is counted there. */
    private void put(Urgency urgency) {
        shard.change(state -> {
            state.needs().remove(block);
            state.needs().put(block, urgency, file, 0);
            Totals totals = new Totals();
            totals.count(state.draft(), shard.store());
            totals.writeTo(state.draft());
        });
    }

    @Test
    void blocksOfAFileAreQueuedSomeAtATime() throws Exception {
        shard.change(state -> {
            state.needs().remove(block);
            state.needs().lookAtFile(file);
        });
        ExpandFileNeedRequest one =
                ExpandFileNeedRequest.newBuilder().setLimit(1).setWaitingMax(10).build();
        BlockId second =
                new BlockId(Objects.requireNonNull(shard.state().block(file, 1)).getBlockId());
        assertTrue(
                shard.run(new ExpandFileNeed(), one.toBuilder().setWaitingMax(0).build())
                        .getFull());
        assertFalse(shard.run(new ExpandFileNeed(), one).getDone());
        assertNotNull(shard.state().needs().urgency(block));
        assertNull(shard.state().needs().urgency(second));
        assertFalse(shard.run(new ExpandFileNeed(), one).getDone());
        assertNotNull(shard.state().needs().urgency(second));
        assertTrue(shard.run(new ExpandFileNeed(), one).getDone());
    }

    @Test
    void statusCountsWhatAServerHas() throws Exception {
        intend(other);
        CopiesStatusReply status = shard.run(
                new CountCopies(),
                CountCopiesRequest.newBuilder().setServerId(other.value()).build());
        assertEquals(1, status.getOpenBlocks());
    }

    private SetFileAttributesRequest copies(int replication) {
        return SetFileAttributesRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("f")
                .setChange(AttributeChange.newBuilder().setReplication(replication))
                .build();
    }

    @Test
    void anotherNumberOfCopiesHasTheBlocksLookedAt() throws Exception {
        MemoryView before = shard.store().copy();
        shard.run(new SetFileAttributes(shard.handles), copies(1));
        assertTrue(shard.store().sameAs(before), "nothing is another than before");
        shard.run(new SetFileAttributes(shard.handles), copies(2));
        assertEquals(2, shard.home(file).getReplication());
        assertNotNull(shard.store().get(Keys.fileNeed(file)));
    }

    @Test
    void homeInAnotherShardIsToldOfTheNumberOfCopies() throws Exception {
        FileId away = FileId.of(1, 0, 5);
        shard.change(state -> {
            EntryRecord entry = Objects.requireNonNull(state.entry(FileShard.HOME, "f"));
            state.entries()
                    .changeRecord(
                            FileShard.HOME,
                            "f",
                            entry.toBuilder()
                                    .setFile(entry.getFile().toBuilder().setFileId(away.value()))
                                    .build());
        });
        shard.run(new SetFileAttributes(shard.handles), copies(3));
        byte[] told = Objects.requireNonNull(shard.store().get(Keys.outbox(1, 1)));
        CopiesWanted wanted = ShardState.parse(told, OutboxDelivery.parser()).getCopies();
        assertEquals(away.value(), wanted.getFileId());
        OutboxDelivery ours = OutboxDelivery.newBuilder()
                .setFromGroup(1)
                .setNumber(1)
                .setCopies(wanted.toBuilder().setFileId(file.value()))
                .build();
        shard.run(new Deliver(), ours);
        assertEquals(3, shard.home(file).getReplication());
        assertNotNull(shard.store().get(Keys.fileNeed(file)));
    }
}
