package io.tatami.meta.op.write;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How many servers a block gets at least, and how many copies a close waits for. */
final class CopiesMinTest {
    private static final ServerId FIRST = new ServerId(1);
    private static final ServerId SECOND = new ServerId(2);

    private final FileShard shard = new FileShard();
    private final CreateFile create = new CreateFile(shard.handles, FileLimits.DEFAULT);

    private CreateRequest.Builder twoCopies(int copiesMin) {
        return shard.creation("a").setReplication(2).setCopiesMin(copiesMin).setGrants(1);
    }

    private void takeCredits(ServerId server) {
        shard.change(state -> state.putCredit(server, CreditRecord.getDefaultInstance()));
    }

    private RequestContext beforeWaiting() {
        return new RequestContext(
                shard.caller, shard.session, 1, 1, Set.of(), shard.context().cluster(), false, false, "");
    }

    @Test
    void serverWithoutCreditsIsWaitedForOnceAndThenDoneWithout() throws Exception {
        takeCredits(FIRST);
        UnsettledException waits = assertThrows(
                UnsettledException.class, () -> shard.run(create, twoCopies(0).build(), beforeWaiting()));
        assertEquals(new CreditsAwaited(List.of(FIRST)), waits.question());
        assertEquals(
                List.of(SECOND.value()),
                shard.run(create, twoCopies(0).build()).getGrant(0).getServerIdList());
    }

    @Test
    void fewerHostsThanCopiesAreNotWaitedFor() throws Exception {
        CreateRequest three = twoCopies(2).setReplication(3).build();
        assertEquals(2, shard.run(create, three, beforeWaiting()).getGrant(0).getServerIdCount());
    }

    @Test
    void blockIsNotPlacedOnFewerHostsThanACloseWaitsFor() throws Exception {
        CreateReply created = shard.run(create, twoCopies(3).setReplication(3).build(), beforeWaiting());
        assertEquals(0, created.getGrantCount());
        assertEquals(3, created.getCopiesMin());
        assertEquals(1_000_000, shard.state().credit(FIRST).getBlocks(), "a credit is lost");
        AddBlocksRequest more = AddBlocksRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setGrants(1)
                .build();
        TatamiException refused = assertThrows(TatamiException.class, () -> shard.run(new AddBlocks(), more));
        assertEquals(ErrorCode.NO_SPACE, refused.code());
        assertTrue(refused.toString().contains("tatami.client.copies.min"), refused.toString());
    }

    private RequestContext whileServersAre(State... states) {
        ClusterMap.Builder map = shard.context().cluster().toBuilder();
        for (int server = 0; server < states.length; server++) {
            map.getBlockServerBuilder(server).setState(states[server]);
        }
        return new RequestContext(shard.caller, shard.session, 1, 1, Set.of(), map.build(), true, false, "");
    }

    private ErrorCode refusalWhileServersAre(FileId file, State... states) {
        AddBlocksRequest more = AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setGrants(1)
                .build();
        return assertThrows(TatamiException.class, () -> shard.run(new AddBlocks(), more, whileServersAre(states)))
                .code();
    }

    @Test
    void serversThatMayBeBackAreWaitedForAndDeadOnesAreNot() throws Exception {
        CreateReply one = shard.run(create, shard.creation("one").build());
        FileId file = new FileId(one.getStatus().getId());
        assertEquals(ErrorCode.BUSY, refusalWhileServersAre(file, State.STALE, State.STALE));
        assertEquals(ErrorCode.BUSY, refusalWhileServersAre(file, State.STALE, State.DEAD));
        assertEquals(ErrorCode.NO_SPACE, refusalWhileServersAre(file, State.DEAD, State.DEAD));
        CreateReply two = shard.run(create, twoCopies(2).build());
        FileId both = new FileId(two.getStatus().getId());
        assertEquals(ErrorCode.BUSY, refusalWhileServersAre(both, State.ACTIVE, State.STALE));
        assertEquals(ErrorCode.NO_SPACE, refusalWhileServersAre(both, State.ACTIVE, State.DEAD));
    }

    @Test
    void fewerCopiesThanACloseWaitsForAreRefusedAtTheCreation() throws Exception {
        assertEquals(
                ErrorCode.INVALID_ARGUMENT, shard.refusal(create, twoCopies(3).build()));
    }

    @Test
    void closeWaitsUntilEachBlockHasItsCopies() throws Exception {
        CreateReply created = shard.run(create, twoCopies(2).build());
        FileId file = new FileId(created.getStatus().getId());
        BlockRecord whole = loseCopy(file);
        CompleteRequest.Builder close =
                CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(created.getGrant(0), 10));
        TatamiException refused = assertThrows(TatamiException.class, () -> shard.complete(close));
        assertEquals(ErrorCode.BUSY, refused.code());
        assertTrue(refused.toString().contains("1 of the 2 copies"), refused.toString());
        assertEquals(HomeRecord.State.OPEN, shard.home(file).getState());

        shard.run(
                new AddBlocks(),
                AddBlocksRequest.newBuilder()
                        .setFileId(file.value())
                        .addAllWritten(close.getWrittenList())
                        .build());
        assertThrows(TatamiException.class, () -> shard.complete(close));
        BlockId block = new BlockId(whole.getBlockId());
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(block), "nobody makes the copy");
        put(
                file,
                block(file)
                        .clearServerId()
                        .addAllServerId(whole.getServerIdList())
                        .clearSpare());
        assertEquals(10, shard.complete(close).getLength());
        assertEquals(HomeRecord.State.CLOSED, shard.home(file).getState());
    }

    @Test
    void closeWaitsForNoMoreCopiesThanTheFileHasToHave() throws Exception {
        CreateReply created = shard.run(create, twoCopies(2).build());
        FileId file = new FileId(created.getStatus().getId());
        loseCopy(file);
        shard.change(state -> state.putHome(
                file, shard.home(file).toBuilder().setReplication(1).build()));
        shard.complete(
                CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(created.getGrant(0), 10)));
        assertEquals(HomeRecord.State.CLOSED, shard.home(file).getState());
    }

    private BlockRecord.Builder block(FileId file) {
        HomedFile homed = HomedFile.find(shard.state(), file);
        assertNotNull(homed);
        return homed.requireBlock(0).toBuilder();
    }

    /** What the block was before. */
    private BlockRecord loseCopy(FileId file) {
        BlockRecord whole = block(file).build();
        BlockRecord.Builder block = whole.toBuilder();
        BlockCopies.of(block).keepCounted(List.of(FIRST));
        put(file, block);
        return whole;
    }

    private void put(FileId file, BlockRecord.Builder block) {
        shard.change(state -> {
            HomedFile homed = HomedFile.find(state, file);
            assertNotNull(homed);
            homed.changeBlock(0, block.build());
            homed.save();
        });
    }
}
