package io.tatami.meta.op.file;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.op.lease.SettleWriter;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.CommitLength;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.RenewBlock;
import io.tatami.meta.op.write.WriterLoads;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.SettleWriterRequest;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.XAttr;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** From the grant to the close: blocks, generations, small files, appends, and writers that lost their file. */
class WritingTest {
    private final FileShard shard = new FileShard();

    @Test
    void closedFileHasItsBlocksLengthAndTime() throws Exception {
        CreateReply created = shard.create("a", 2);
        shard.nowMillis = 2_000;
        Status closed = shard.complete(completion(created)
                .addWritten(report(created.getGrant(0), 1_000))
                .addWritten(report(created.getGrant(1), 10)));
        assertFalse(closed.getOpen());
        assertEquals(1_010, closed.getLength());
        assertEquals(2_000, closed.getAttributes().getModifiedMillis());
        Status opened = shard.open("a");
        assertEquals(2, opened.getBlockCount());
        assertEquals(1_000, opened.getBlock(1).getOffset());
        assertEquals(1_010, shard.state().slice(FileShard.HOME).getBytes());
        assertEquals(1_000, shard.state().slice(FileShard.HOME).getLastChangeMillis());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void blockThatIsNeitherWrittenNorGivenUpKeepsTheFileOpen() throws Exception {
        CreateReply created = shard.create("a", 1);
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(created).build()));
        shard.complete(completion(created).addUnusedBlockId(created.getGrant(0).getBlockId()));
        assertEquals(0, shard.open("a").getLength());
        FileInvariants.check(shard.store(), Set.of(created.getGrant(0).getBlockId()));
    }

    @Test
    void furtherBlocksCommitThoseBeforeThem() throws Exception {
        CreateReply created = shard.create("a", 1);
        AddBlocksRequest more = AddBlocksRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .addWritten(report(created.getGrant(0), 1_000))
                .setGrants(1)
                .build();
        Grant second = shard.run(new AddBlocks(), more).getGrant(0);
        assertEquals(1_000, shard.open("a").getLength());
        assertTrue(shard.open("a").getOpen());
        assertEquals(
                1_500,
                shard.complete(completion(created)
                                .addWritten(report(created.getGrant(0), 1_000))
                                .addWritten(report(second, 500)))
                        .getLength());
    }

    /** What placement hears, and the servers of blocks. */
    private static final class Heard implements WriterLoads {
        final List<String> moves = new ArrayList<>();

        @Override
        public int on(ServerId server) {
            return 0;
        }

        @Override
        public void granted(ServerId server) {
            moves.add("to " + server);
        }

        @Override
        public void ended(ServerId server) {
            moves.add("from " + server);
        }

        static String to(Grant block) {
            return "to " + new ServerId(block.getServerId(0));
        }

        static String from(Grant block) {
            return "from " + new ServerId(block.getServerId(0));
        }
    }

    @Test
    void placementHearsOfAWriterBetweenTwoBlocksAndAtItsEnd() throws Exception {
        Heard heard = new Heard();
        shard.creditsAwaited = false;
        CreateReply created = shard.create("a", 2);
        Grant first = created.getGrant(0);
        Grant second = created.getGrant(1);
        AddBlocksRequest.Builder more =
                AddBlocksRequest.newBuilder().setFileId(created.getStatus().getId());

        more.addWritten(report(first, 1_000)).setGrants(1);
        Grant third = shard.run(new AddBlocks(heard), more.build()).getGrant(0);
        assertEquals(List.of(), heard.moves, "it writes the second, and asks ahead");

        more.clearWritten().addWritten(report(second, 1_000)).addWritten(report(third, 1_000));
        AddBlocksReply granted =
                shard.run(new AddBlocks(heard), more.setGrants(2).build());
        Grant fourth = granted.getGrant(0);
        assertEquals(List.of(Heard.from(third), Heard.to(fourth)), heard.moves, "one stream, whatever it reports");

        heard.moves.clear();
        CompleteRequest.Builder close = completion(created)
                .addWritten(report(fourth, 500))
                .addUnusedBlockId(granted.getGrant(1).getBlockId());
        shard.run(new CompleteFile(FileLimits.DEFAULT, heard), close.build());
        assertEquals(List.of(Heard.from(fourth)), heard.moves);
    }

    @Test
    void lengthsCommittedByHsyncOnlyRise() throws Exception {
        CreateReply created = shard.create("a", 1);
        commit(created, 300);
        commit(created, 200);
        assertEquals(300, shard.open("a").getLength());
        assertEquals(0, shard.state().slice(FileShard.HOME).getBytes());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void anotherSessionHasNoPartInTheFile() throws Exception {
        CreateReply created = shard.create("a", 1);
        shard.session = FileShard.OTHER;
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(created)
                                .addWritten(report(created.getGrant(0), 1))
                                .build()));
    }

    @Test
    void theBytesOfASmallFileAreNotInItsEntrySoThatListsDoNotReadThem() throws Exception {
        shard.inline("a", "x".repeat(10_000));

        EntryRecord entry = Objects.requireNonNull(shard.state().entry(FileShard.HOME, "a"));
        assertTrue(entry.getSerializedSize() < 1_000, entry::toString);
        assertEquals(10_000, entry.getFile().getLength());
    }

    @Test
    void smallFileIsStoredWithTheMetadata() throws Exception {
        FileId file = shard.inline("a", "hello");
        Status opened = shard.open("a");
        assertEquals("hello", opened.getInline().toStringUtf8());
        assertTrue(opened.getIsInline());
        assertEquals(5, opened.getLength());
        assertEquals(0, shard.home(file).getBlocks());
        CreateReply large = shard.create("b", 0);
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(large)
                                .setInline(ByteString.copyFrom(new byte[FileLimits.INLINE_BYTES_MAX_DEFAULT + 1]))
                                .build()));
    }

    @Test
    void newGenerationCountsOnlyOnceItIsCommitted() throws Exception {
        CreateReply created = shard.create("a", 1);
        commit(created, 100);
        Grant renewed = shard.run(new RenewBlock(), renewal(created).build()).getGrant();
        assertEquals(2, renewed.getGeneration());
        assertEquals(1, block(created).getGeneration());
        assertEquals(
                ErrorCode.FENCED,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(created).addWritten(report(renewed, 150)).build()));
        shard.run(
                new RenewBlock(),
                renewal(created).setGeneration(2).setCommitted(true).build());
        assertEquals(2, block(created).getGeneration());
        assertEquals(
                150,
                shard.complete(completion(created).addWritten(report(renewed, 150)))
                        .getLength());
    }

    @Test
    void unwrittenBlockMovesToAnotherServerWhenItsOwnFailed() throws Exception {
        CreateReply created = shard.create("a", 1);
        Grant elsewhere = shard.run(
                        new RenewBlock(), renewal(created).addFailedServerId(2).build())
                .getGrant();
        assertEquals(List.of(1), elsewhere.getServerIdList());
        assertEquals(2, elsewhere.getGeneration());
        FileInvariants.check(shard.store(), Set.of());
        shard.run(
                new RenewBlock(),
                renewal(created)
                        .setGeneration(2)
                        .setCommitted(true)
                        .addFailedServerId(2)
                        .build());
        shard.complete(completion(created).addWritten(report(elsewhere, 7)));
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
    }

    @Test
    void committedBytesAreNotGivenUpWithTheirLastServer() throws Exception {
        CreateReply created = shard.create("a", 1);
        commit(created, 100);
        assertEquals(
                ErrorCode.UNAVAILABLE,
                shard.refusal(
                        new RenewBlock(), renewal(created).addFailedServerId(2).build()));
    }

    @Test
    void appendGoesOnInTheLastBlockUnderANewGeneration() throws Exception {
        FileId file = shard.written("a", 1_000, 400);
        AppendReply reopened = shard.append("a");
        assertEquals(1_000, reopened.getLastBlock().getOffset());
        assertEquals(400, reopened.getLastBlock().getLength());
        assertEquals(2, reopened.getLastBlock().getGeneration());
        assertEquals(1, reopened.getStatus().getBlock(0).getGeneration());
        assertTrue(shard.open("a").getOpen());
        assertEquals(1_400, shard.open("a").getLength());
        FileInvariants.check(shard.store(), Set.of());
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()));
        assertEquals(1_400, shard.open("a").getLength());
        assertFalse(shard.open("a").getBlock(1).getOpen());
        FileInvariants.check(shard.store(), Set.of());
    }

    /** Their replies are remembered, for each client. */
    @Test
    void closeAndAppendOfAFileWithMuchInItsAttributesAreAnsweredInFewBytes() throws Exception {
        FileId file = shard.inline("a", "hello");
        for (int i = 0; i < 32; i++) {
            XAttr attribute = XAttr.newBuilder()
                    .setName("user.of-" + i)
                    .setValue(ByteString.copyFrom(new byte[16_000]))
                    .build();
            shard.run(
                    new SetFileAttributes(shard.handles),
                    SetFileAttributesRequest.newBuilder()
                            .setHandle(shard.handle())
                            .setName("a")
                            .setChange(AttributeChange.newBuilder()
                                    .setXattr(AttributeChange.XAttrChange.newBuilder()
                                            .setXattr(attribute)))
                            .build());
        }
        AppendReply reopened = shard.append("a");
        assertTrue(reopened.getSerializedSize() < 1_000, "append: " + reopened.getSerializedSize());
        Status closed = shard.complete(CompleteRequest.newBuilder()
                .setFileId(file.value())
                .setInline(ByteString.copyFromUtf8("hello, world")));
        assertTrue(closed.getSerializedSize() < 1_000, "close: " + closed.getSerializedSize());
        assertEquals(32, shard.open("a").getAttributes().getXattrCount());
    }

    @Test
    void appendToAFullBlockNeedsANewOne() throws Exception {
        shard.written("a", 1_000);
        assertFalse(shard.append("a").hasLastBlock());
        assertThrows(TatamiException.class, () -> shard.append("a"));
    }

    @Test
    void appendedSmallFileMayStaySmallOrMoveToABlock() throws Exception {
        FileId file = shard.inline("a", "hello");
        AppendReply reopened = shard.append("a");
        assertEquals("hello", reopened.getInline().toStringUtf8());
        shard.complete(CompleteRequest.newBuilder()
                .setFileId(file.value())
                .setInline(ByteString.copyFromUtf8("hello, world")));
        assertEquals("hello, world", shard.open("a").getInline().toStringUtf8());

        shard.append("a");
        Grant grant = shard.run(
                        new AddBlocks(),
                        AddBlocksRequest.newBuilder()
                                .setFileId(file.value())
                                .setGrants(1)
                                .build())
                .getGrant(0);
        assertEquals("hello, world", shard.open("a").getInline().toStringUtf8(), "nothing is committed yet");
        assertEquals(0, shard.open("a").getBlockCount());
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(report(grant, 20))
                        .build());
        assertFalse(shard.open("a").hasInline());
        assertEquals(1, shard.open("a").getBlockCount());
        assertEquals(20, shard.open("a").getLength());
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(grant, 25)));
        assertEquals(25, shard.open("a").getLength());
        FileInvariants.check(shard.store(), Set.of(grant.getBlockId()));
    }

    @Test
    void contentThatWasInlineMovesToSeveralBlocksOneReportAtATime() throws Exception {
        FileId file = shard.inline("a", "x".repeat(2_500));
        shard.append("a");
        Set<Long> granted = new HashSet<>();
        AddBlocksRequest.Builder more =
                AddBlocksRequest.newBuilder().setFileId(file.value()).setGrants(1);
        for (int block = 0; block < 2; block++) {
            Grant grant = shard.run(new AddBlocks(), more.build()).getGrant(0);
            granted.add(grant.getBlockId());
            more.clearWritten().addWritten(report(grant, 1_000));
            assertEquals(2_500, shard.open("a").getInline().size(), "the blocks hold a part");
        }
        Grant third = shard.run(new AddBlocks(), more.build()).getGrant(0);
        granted.add(third.getBlockId());
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(report(third, 600))
                        .build());
        assertFalse(shard.open("a").hasInline());
        assertEquals(2_600, shard.open("a").getLength());
        assertEquals(3, shard.open("a").getBlockCount());
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(third, 700)));
        assertEquals(2_700, shard.open("a").getLength());
        FileInvariants.check(shard.store(), granted);
    }

    @Test
    void writerBelowADeletedDirectoryIsToldOnceTheTreeHasConfirmedIt() throws Exception {
        CreateReply created = shard.create("a", 0);
        announce(DirectoryId.ROOT, 9);
        assertAsksTheTree(created);
        answer(created, LocateDirectoryReply.newBuilder().setVersion(9));
        shard.treeAsked = true;
        TatamiException gone = assertThrows(TatamiException.class, () -> shard.complete(completion(created)));
        assertEquals(ErrorCode.LEASE_EXPIRED, gone.code());
        assertTrue(gone.toString().contains("file is gone"), gone.toString());
    }

    @Test
    void writerWhoseDirectoryStandsGoesOn() throws Exception {
        CreateReply created = shard.create("a", 0);
        announce(DirectoryId.ROOT, 9);
        answer(created, placed(9, DirectoryId.ROOT, FileShard.HOME));
        assertFalse(shard.complete(completion(created)).getOpen());
    }

    @Test
    void writerWhoseDirectoryIsAboutToChangeGoesOnWithTheRequestThatAsked() throws Exception {
        CreateReply created = shard.create("a", 1);
        announce(DirectoryId.ROOT, 9);
        shard.treeAsked = true;
        commit(created, 10);
        shard.treeAsked = false;
        assertAsksTheTree(created);
    }

    @Test
    void writerWhoseDirectoryWasMovedIsToldOfADeletionWhereItIsNow() throws Exception {
        DirectoryId elsewhere = new DirectoryId(33);
        CreateReply created = shard.create("a", 0);
        announce(FileShard.HOME, 8);
        answer(created, placed(8, DirectoryId.ROOT, elsewhere, FileShard.HOME));
        announce(elsewhere, 9);
        assertAsksTheTree(created);
        answer(created, LocateDirectoryReply.newBuilder().setVersion(9));
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(created).build()));
    }

    @Test
    void writerFromBeforeWhatTheGateRemembersAsksTheTree() throws Exception {
        CreateReply created = shard.create("a", 0);
        shard.change(state -> {
            state.putGateNewest(new TreeVersion(9));
            state.putGateFloor(new TreeVersion(5));
        });
        assertAsksTheTree(created);
        answer(created, placed(9, DirectoryId.ROOT, FileShard.HOME));
        assertFalse(shard.complete(completion(created)).getOpen());
    }

    @Test
    void lateAnswerLeavesALeaseThatKnowsMore() throws Exception {
        CreateReply created = shard.create("a", 0);
        announce(DirectoryId.ROOT, 9);
        answer(created, placed(9, DirectoryId.ROOT, FileShard.HOME));
        answer(created, placed(8, DirectoryId.ROOT, new DirectoryId(33), FileShard.HOME));
        LeaseRecord lease = Objects.requireNonNull(shard.state().firstLease(FileShard.WRITER, fileOf(created)));
        assertEquals(9, lease.getVersion());
        assertEquals(List.of(DirectoryId.ROOT.value(), FileShard.HOME.value()), lease.getAncestorIdList());
    }

    /** The shard that has the name is told of changes above it; the home of the file need not be. */
    @Test
    void writerWhoseFileIsNamedInAnotherShardAsksTheTreeEachTime() throws Exception {
        CreateReply created = shard.create("a", 0);
        FileId file = fileOf(created);
        shard.change(state -> state.putHome(
                file,
                Objects.requireNonNull(state.home(file)).toBuilder()
                        .setEntryGroup(1)
                        .build()));
        assertAsksTheTree(created);
        answer(created, placed(9, DirectoryId.ROOT, FileShard.HOME));
        assertAsksTheTree(created);
    }

    @Test
    void writerWhoseFileWasMovedOutOfADeletedDirectoryWaitsUntilItsHomeHasHeardOfIt() throws Exception {
        CreateReply created = shard.create("a", 0);
        announce(DirectoryId.ROOT, 9);
        answer(created, LocateDirectoryReply.newBuilder().setVersion(9));
        shard.change(state -> state.entries().changeRecord(FileShard.HOME, "a", null));
        TatamiException busy = assertThrows(TatamiException.class, () -> shard.complete(completion(created)));
        assertEquals(ErrorCode.BUSY, busy.code());
    }

    @Test
    void blockOfAnotherFileIsNotTaken() throws Exception {
        CreateReply one = shard.create("a", 1);
        CreateReply two = shard.create("b", 1);
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        completion(one).addWritten(report(two.getGrant(0), 5)).build()));
        assertNull(shard.state().fileOf(BlockId.of(0, 0, 99)));
    }

    private void announce(DirectoryId directory, long version) {
        shard.change(state -> {
            state.putGate(directory, GateRecord.newBuilder().setVersion(version).build());
            state.putGateNewest(new TreeVersion(version));
        });
    }

    private void assertAsksTheTree(CreateReply created) {
        UnsettledException doubt = assertThrows(UnsettledException.class, () -> shard.complete(completion(created)));
        assertEquals(new WriterInDoubt(fileOf(created), FileShard.HOME), doubt.question());
    }

    private static LocateDirectoryReply.Builder placed(long version, DirectoryId... path) {
        return LocateDirectoryReply.newBuilder()
                .setVersion(version)
                .addAllPathId(Stream.of(path).map(DirectoryId::value).toList());
    }

    /** What the tree says of the directory of a file. */
    private void answer(CreateReply created, LocateDirectoryReply.Builder place) throws Exception {
        shard.run(
                new SettleWriter(),
                SettleWriterRequest.newBuilder()
                        .setFileId(created.getStatus().getId())
                        .setDirectoryId(FileShard.HOME.value())
                        .setPlace(place)
                        .build());
    }

    private static FileId fileOf(CreateReply created) {
        return new FileId(created.getStatus().getId());
    }

    private void commit(CreateReply created, long length) throws Exception {
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(created.getStatus().getId())
                        .addWritten(report(created.getGrant(0), length))
                        .build());
    }

    private BlockRecord block(CreateReply created) {
        return shard.state().blocks(new FileId(created.getStatus().getId())).get(0);
    }

    private static CompleteRequest.Builder completion(CreateReply created) {
        return CompleteRequest.newBuilder().setFileId(created.getStatus().getId());
    }

    private static RenewBlockRequest.Builder renewal(CreateReply created) {
        return RenewBlockRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setBlockId(created.getGrant(0).getBlockId());
    }
}
