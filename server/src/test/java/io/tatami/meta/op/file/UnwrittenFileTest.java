package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.op.lease.ReadLeases;
import io.tatami.meta.op.lease.RenewLeases;
import io.tatami.meta.op.rename.RenameFile;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReadLeasesReply;
import io.tatami.meta.state.wire.ReadLeasesRequest;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.RenewLeasesRequest;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Files that were made without a block, until something is written: whether they are open only their leader knows. */
class UnwrittenFileTest {
    private final FileShard shard = new FileShard();
    private final CompleteFile complete = new CompleteFile(FileLimits.DEFAULT);
    private final AppendFile append = new AppendFile(shard.handles);

    @AfterEach
    void recordsAgree() {
        FileInvariants.check(shard.store(), Set.of());
    }

    private FileId create(String name) throws Exception {
        return new FileId(shard.create(name, 0).getStatus().getId());
    }

    private static CompleteRequest completion(FileId file) {
        return CompleteRequest.newBuilder().setFileId(file.value()).build();
    }

    private AppendRequest opening(String name) {
        return AppendRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(name)
                .build();
    }

    private static AddBlocksRequest blockFor(FileId file) {
        return AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setGrants(1)
                .build();
    }

    private List<ReadLeasesReply.Lease> firstLeases() throws Exception {
        return shard.run(
                        new ReadLeases(),
                        ReadLeasesRequest.newBuilder()
                                .setFirst(true)
                                .setLimit(10)
                                .build())
                .getLeaseList();
    }

    private List<Long> toldAsLost(FileId file) throws Exception {
        RenewLeasesRequest renewal =
                RenewLeasesRequest.newBuilder().addFileId(file.value()).build();
        return shard.run(new RenewLeases(), renewal).getLostFileIdList();
    }

    @Test
    void closingChangesNoRecordButTheLeaders() throws Exception {
        FileId file = create("a");
        assertTrue(shard.open("a").getOpen());
        Draft draft = new Draft(shard.store());
        assertFalse(complete.decide(new ShardState(draft), shard.context(), completion(file))
                .getStatus()
                .getOpen());
        assertTrue(draft.changes().keySet().stream().allMatch(Keys::isVolatile), "only volatile records");
        shard.store().apply(draft);
        assertFalse(shard.open("a").getOpen());
        assertEquals(0, shard.open("a").getLength());
        assertEquals(List.of(), firstLeases());
    }

    @Test
    void closingOnceMoreIsAllowedToItsMakerOnly() throws Exception {
        FileId file = create("a");
        shard.run(complete, completion(file));
        shard.treeAsked = true;
        shard.run(complete, completion(file));
        shard.session = FileShard.OTHER;
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(complete, completion(file)));
    }

    @Test
    void closeThatComesOnceMoreDoesNotCloseWhatItsMakerHasOpenedSince() throws Exception {
        FileId file = create("a");
        shard.run(complete, completion(file));
        AppendReply opened = shard.run(append, opening("a"));
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(complete, completion(file)));
        assertTrue(shard.open("a").getOpen());
        shard.run(
                complete,
                completion(file).toBuilder()
                        .setRecoveryId(opened.getRecoveryId())
                        .setInline(ByteString.copyFromUtf8("x"))
                        .build());
        assertEquals(1, shard.open("a").getLength());
    }

    @Test
    void withTheFirstBlockItHasALeaseThatOutlastsTheLeader() throws Exception {
        FileId file = create("a");
        var granted = shard.run(new AddBlocks(), blockFor(file)).getGrant(0);
        shard.loseLeader();
        assertEquals(HomeRecord.State.OPEN, shard.home(file).getState());
        shard.session = FileShard.OTHER;
        assertEquals(ErrorCode.LEASE_HELD, shard.refusal(append, opening("a")));
        shard.session = FileShard.WRITER;
        shard.run(
                complete,
                completion(file).toBuilder()
                        .addUnusedBlockId(granted.getBlockId())
                        .build());
        assertEquals(HomeRecord.State.CLOSED, shard.home(file).getState());
    }

    @Test
    void whenTheLeaderIsLostTheMakerMayStillBegin() throws Exception {
        FileId file = create("a");
        shard.loseLeader();
        assertFalse(shard.open("a").getOpen());
        assertEquals(List.of(), toldAsLost(file));
        shard.treeAsked = true;
        shard.run(new AddBlocks(), blockFor(file));
        assertTrue(shard.open("a").getOpen());
    }

    @Test
    void whenTheLeaderIsLostWhoComesFirstHasIt() throws Exception {
        FileId file = create("a");
        shard.loseLeader();
        shard.session = FileShard.OTHER;
        AppendReply opened = shard.run(append, opening("a"));
        shard.session = FileShard.WRITER;
        assertEquals(List.of(file.value()), toldAsLost(file));
        shard.treeAsked = true;
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(new AddBlocks(), blockFor(file)));
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(complete, completion(file)));
        shard.session = FileShard.OTHER;
        shard.run(
                complete,
                completion(file).toBuilder()
                        .setRecoveryId(opened.getRecoveryId())
                        .build());
    }

    @Test
    void recoveryTakesItFromItsMaker() throws Exception {
        FileId file = create("a");
        assertEquals(
                List.of(file.value()),
                firstLeases().stream().map(ReadLeasesReply.Lease::getFileId).toList());
        RecoverFileRequest recover = RecoverFileRequest.newBuilder()
                .setFileId(file.value())
                .setWriterSession(FileShard.WRITER.value())
                .build();
        assertTrue(shard.run(new BeginRecovery(), recover).getClosed());
        assertEquals(List.of(), firstLeases());
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(complete, completion(file)));
        assertFalse(shard.open("a").getOpen());
    }

    /**
     * A reader may have the records from before a file was written, and ask for the first lease after it was closed.
     */
    @Test
    void whoReadsOldRecordsDoesNotTakeAWrittenFileForOneThatWasClosedEmpty() throws Exception {
        FileId file = create("a");
        EntryRecord before = entry("a");
        shard.run(complete, withContent(file));
        assertTrue(FileStatus.of(shard.state(), "a", before).getOpen());
    }

    @Test
    void whoReadsOldRecordsDoesNotTakeAFileThatWasLostForOneThatIsOpen() throws Exception {
        FileId file = create("a");
        EntryRecord before = entry("a");
        shard.loseLeader();
        shard.treeAsked = true;
        shard.run(complete, withContent(file));
        assertFalse(FileStatus.of(shard.state(), "a", before).getOpen());
    }

    private EntryRecord entry(String name) {
        return Objects.requireNonNull(shard.state().entry(FileShard.HOME, name));
    }

    private static CompleteRequest withContent(FileId file) {
        return completion(file).toBuilder()
                .setInline(ByteString.copyFromUtf8("x"))
                .build();
    }

    @Test
    void renamedWithinItsShardItIsAsBefore() throws Exception {
        FileId file = create("a");
        RenameFileRequest rename = RenameFileRequest.newBuilder()
                .setSourceHandle(shard.handle())
                .setDestinationHandle(shard.handle())
                .setSourceName("a")
                .setDestinationName("b")
                .build();
        shard.run(new RenameFile(shard.handles), rename);
        assertTrue(shard.open("b").getOpen());
        shard.run(complete, completion(file));
        assertFalse(shard.open("b").getOpen());
    }
}
