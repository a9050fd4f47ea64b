package io.tatami.meta.op.fsck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.copies.ServersOfMap;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FsckTest {
    private static final FsckRequest ALL = FsckRequest.newBuilder()
            .addDirectoryId(DirectoryId.ROOT.value())
            .addDirectoryId(FileShard.HOME.value())
            .build();

    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;

    @BeforeEach
    void writeFiles() throws Exception {
        file = shard.written("a", FileShard.BLOCK_SIZE, 10);
        shard.create("open", 1);
    }

    private FsckReply run(FsckRequest request) throws Exception {
        return check(shard, request);
    }

    private static FsckReply check(FileShard shard) throws Exception {
        return check(shard, ALL);
    }

    private static FsckReply check(FileShard shard, FsckRequest request) throws Exception {
        RequestContext superuser = new RequestContext(
                new Caller("root", List.of(), true),
                FileShard.WRITER,
                1,
                shard.settled,
                shard.context().cluster());
        return shard.run(new Fsck(ServersOfMap::view), request, superuser);
    }

    /** The only problem that is found once {@code damage} is done. */
    private String problemAfter(Consumer<ShardState> damage) throws Exception {
        shard.change(damage);
        List<Finding> findings = check(shard).getFindingList();
        assertEquals(1, findings.size(), findings::toString);
        assertEquals(FileShard.HOME.value(), findings.get(0).getDirectoryId());
        return findings.get(0).getProblem();
    }

    private BlockRecord block(ShardState state, int index) {
        return state.blocks(file).get(index);
    }

    @Test
    void aSoundShardHasNothingToFind() throws Exception {
        FsckReply reply = check(shard);
        assertEquals(List.of(), reply.getFindingList());
        assertEquals(2, reply.getFiles());
        assertEquals(1, reply.getOpenFiles());
        assertEquals(3, reply.getBlocks());
        assertEquals(FileShard.BLOCK_SIZE + 10, reply.getBytes());
    }

    @Test
    void sumsThatDoNotMatchTheEntriesAreFound() throws Exception {
        String problem = problemAfter(state -> state.draft()
                .put(
                        Keys.slice(FileShard.HOME),
                        state.slice(FileShard.HOME).toBuilder()
                                .setBytes(5)
                                .build()
                                .toByteArray()));
        assertTrue(problem.contains("sums"), problem);
    }

    @Test
    void aMissingHomeIsFound() throws Exception {
        shard.change(state -> state.removeHome(file));
        assertEquals(
                List.of("has no record at its home", "has blocks here, and no record at its home"),
                check(shard).getFindingList().stream().map(Finding::getProblem).toList());
    }

    @Test
    void inlineBytesOfAFileThatIsGoneAreFound() throws Exception {
        FileId small = shard.inline("small", "hello");
        FileId gone = new FileId(small.value() + 1);
        shard.change(state -> state.putInline(gone, ByteString.copyFromUtf8("hello")));
        List<Finding> findings = check(shard).getFindingList();
        assertEquals(1, findings.size(), findings::toString);
        assertEquals(gone.value(), findings.get(0).getFileId());
        assertTrue(findings.get(0).getProblem().contains("bytes inline here"), findings::toString);
    }

    @Test
    void aHomeWhoseNameIsGoneIsFound() throws Exception {
        shard.change(state -> state.entries().changeRecord(FileShard.HOME, "a", null));
        List<Finding> findings = check(shard).getFindingList();
        assertEquals(1, findings.size(), findings::toString);
        assertTrue(findings.get(0).getProblem().contains("name is gone"), findings::toString);
    }

    @Test
    void blocksThatDoNotAddUpAreFound() throws Exception {
        String problem = problemAfter(state -> state.changeBlock(
                file, 1, block(state, 1).toBuilder().setLength(9).build()));
        assertTrue(problem.contains("its blocks are"), problem);
    }

    @Test
    void inlineBytesThatAreMissingOrTooManyAreFound() throws Exception {
        FileId small = shard.inline("small", "hello");
        String missing = problemAfter(state -> state.removeInline(small));
        assertTrue(missing.contains("no bytes inline, and a length of 5"), missing);
        String shorter = problemAfter(state -> state.putInline(small, ByteString.copyFromUtf8("hell")));
        assertTrue(shorter.contains("4 bytes inline, and a length of 5"), shorter);
        shard.change(state -> state.putInline(small, ByteString.copyFromUtf8("hello")));
        String stray = problemAfter(state -> state.putInline(file, ByteString.copyFromUtf8("hello")));
        assertTrue(stray.contains("5 bytes inline that are no part of it"), stray);
    }

    @Test
    void anUnrecordedHolderIsFound() throws Exception {
        BlockRecord[] block = new BlockRecord[1];
        shard.change(state -> {
            block[0] = block(state, 0);
            state.removeReplica(new ServerId(block[0].getServerId(0)), new BlockId(block[0].getBlockId()));
        });
        List<String> problems =
                check(shard).getFindingList().stream().map(Finding::getProblem).toList();
        assertEquals(
                List.of("server " + block[0].getServerId(0) + " is not recorded as a holder of the block"), problems);
    }

    @Test
    void unreadableBlocksAreFoundWithTheReason() throws Exception {
        Map<Problem, String> reasons = Map.of(
                Problem.DAMAGED, "all that are left are damaged",
                Problem.MISSING, "all are missing",
                Problem.UNAVAILABLE, "a server or a volume that may have one is away");
        for (Map.Entry<Problem, String> found : reasons.entrySet()) {
            shard.change(state -> spoil(state, 0, found.getKey()));
            FsckReply reply = check(shard);
            assertEquals(
                    "no copy of the block can be read now: " + found.getValue(),
                    reply.getFinding(1).getProblem());
            assertEquals(
                    found.getKey() == Problem.DAMAGED ? 1 : 0, reply.getHealth().getDamaged());
            assertEquals(
                    found.getKey() == Problem.MISSING ? 1 : 0, reply.getHealth().getMissing());
            assertEquals(
                    found.getKey() == Problem.UNAVAILABLE ? 1 : 0,
                    reply.getHealth().getUnknown());
        }
    }

    @Test
    void whatAnAuditFoundOfACopyIsFound() throws Exception {
        for (Map.Entry<Problem, String> found : Map.of(
                        Problem.DAMAGED, "is damaged",
                        Problem.MISSING, "is missing",
                        Problem.UNAVAILABLE, "is unavailable: a volume of the server")
                .entrySet()) {
            shard.change(state -> spoil(state, 0, found.getKey()));
            String problem = check(shard).getFinding(0).getProblem();
            assertTrue(problem.contains(found.getValue()), problem);
        }
    }

    private void spoil(ShardState state, int index, Problem problem) {
        BlockRecord block = block(state, index);
        state.putReplica(
                new ServerId(block.getServerId(0)),
                new BlockId(block.getBlockId()),
                ReplicaRecord.newBuilder()
                        .setFileId(file.value())
                        .setHeld(true)
                        .setProblem(problem)
                        .build());
    }

    private void askFor(int copies) throws Exception {
        shard.change(state -> state.putHome(
                file, shard.home(file).toBuilder().setReplication(copies).build()));
    }

    @Test
    void aFileWithFewerCopiesThanItAsksForIsUnderReplicated() throws Exception {
        shard.change(state -> keepOneCopy(state, 0));
        shard.change(state -> keepOneCopy(state, 1));
        askFor(2);
        FsckReply reply = check(shard);
        assertEquals(1, reply.getFindingCount(), reply::toString);
        String problem = reply.getFinding(0).getProblem();
        assertTrue(problem.contains("2 of 2 blocks have fewer than 2 copies, as few as 1"), problem);
        assertEquals(2, reply.getUnderReplicatedBlocks());
        assertEquals(2, reply.getMissingCopies());
        assertEquals(2, reply.getHealth().getUnderReplicated());
        assertEquals(2, reply.getHealth().getLastCopy());
    }

    /** There are two hosts. */
    @Test
    void copiesBeyondTheHostsAreCountedAndAreNoFinding() throws Exception {
        askFor(10);
        shard.change(state -> {
            keepOneCopy(state, 0);
            keepOneCopy(state, 1);
            copyOnBoth(state, 0);
            copyOnBoth(state, 1);
        });
        FsckReply reply = check(shard);
        assertEquals(List.of(), reply.getFindingList());
        assertEquals(2, reply.getHealth().getBeyondHosts());
        assertEquals(16, reply.getHealth().getCopiesBeyondHosts());
        assertEquals(2, reply.getHealth().getHealthy());
    }

    private void keepOneCopy(ShardState state, int index) {
        BlockRecord.Builder block = block(state, index).toBuilder();
        for (ServerId server : ServerId.listOf(block.getServerIdList().subList(1, block.getServerIdCount()))) {
            BlockCopies.of(block).remove(server);
            state.removeReplica(server, new BlockId(block.getBlockId()));
        }
        state.changeBlock(file, index, block.build());
    }

    private void copyOnBoth(ShardState state, int index) {
        BlockRecord.Builder block = block(state, index).toBuilder();
        ServerId other = new ServerId(3 - block.getServerId(0));
        BlockCopies.of(block).grant(other);
        state.changeBlock(file, index, block.build());
        state.putReplica(
                other,
                new BlockId(block.getBlockId()),
                ReplicaRecord.newBuilder().setFileId(file.value()).setHeld(true).build());
    }

    /** However small pages are, together they say what one page says. */
    @Test
    void pagesSayTogetherWhatTheWholeSays() throws Exception {
        for (int i = 0; i < 7; i++) {
            shard.written("f" + i, FileShard.BLOCK_SIZE, FileShard.BLOCK_SIZE, 5);
            FileId unused = shard.inline("i" + i, "x".repeat(i + 1));
        }
        FileId gone = shard.inline("gone", "hello");
        shard.change(state -> {
            spoil(state, 0, Problem.DAMAGED);
            spoil(state, 1, Problem.MISSING);
            state.removeHome(gone);
        });
        FsckRequest.Builder listing = ALL.toBuilder().setListAll(true);
        FsckReply whole = run(listing.build());
        assertEquals(6, whole.getFindingCount(), whole::toString);
        for (int limit = 1; limit < 50; limit++) {
            FsckReply.Builder sum = FsckReply.newBuilder();
            FsckReply page;
            FsckRequest.Builder request = listing.setLimit(limit);
            int pages = 0;
            do {
                page = run(request.build());
                assertTrue(page.getBlocks() <= limit + 1, page::toString);
                sum.mergeFrom(page)
                        .setFiles(sum.getFiles() + page.getFiles())
                        .setBytes(sum.getBytes() + page.getBytes())
                        .setBlocks(sum.getBlocks() + page.getBlocks());
                request.setCursor(page.getCursor());
                assertTrue(++pages < 200, "the check makes no progress");
            } while (!page.getCursor().isEmpty());
            assertTrue(pages > 80 / (limit + 3), "limit " + limit + ": " + pages + " pages");
            assertEquals(whole.getFindingList(), sum.getFindingList(), "limit " + limit);
            assertEquals(blocks(whole.getFileList()), blocks(sum.getFileList()), "limit " + limit);
            assertEquals(0, sum.getChangingDirectories());
        }
    }

    private static List<Long> blocks(List<CheckedFile> files) {
        return files.stream()
                .flatMap(file -> file.getBlockList().stream())
                .map(CheckedBlock::getBlockId)
                .toList();
    }

    @Test
    void sumsOfADirectoryThatChangesBetweenPagesAreNotCompared() throws Exception {
        FsckReply first = run(ALL.toBuilder().setLimit(3).build());
        shard.written("b", 5);
        FsckReply.Builder rest = FsckReply.newBuilder();
        FsckReply page = first;
        while (!page.getCursor().isEmpty()) {
            page = run(ALL.toBuilder().setLimit(3).setCursor(page.getCursor()).build());
            rest.mergeFrom(page);
        }
        assertEquals(List.of(), rest.getFindingList());
        assertEquals(1, rest.getChangingDirectories());
    }

    @Test
    void onlyFilesThatAreAskedForAreListed() throws Exception {
        FsckReply open = run(ALL.toBuilder().setListOpen(true).build());
        assertEquals(
                List.of("open"),
                open.getFileList().stream().map(CheckedFile::getName).toList());
        FsckRequest damaged =
                ALL.toBuilder().addList(CheckedBlock.Health.DAMAGED).build();
        assertEquals(0, run(damaged).getFileCount());
        shard.change(state -> spoil(state, 1, Problem.DAMAGED));
        CheckedFile listed = run(damaged).getFile(0);
        assertEquals("a", listed.getName());
        assertEquals(1, listed.getBlockCount());
        assertEquals(1, listed.getBlock(0).getIndex());
        assertEquals(CheckedCopy.Problem.DAMAGED, listed.getBlock(0).getCopy(0).getProblem());
    }

    @Test
    void fileIsFoundByABlockAndCheckedByItsId() throws Exception {
        AtomicLong block = new AtomicLong();
        shard.change(state -> block.set(block(state, 1).getBlockId()));
        FsckReply byBlock = run(FsckRequest.newBuilder()
                .setBlockId(block.get())
                .setListAll(true)
                .setLimit(10)
                .build());
        assertEquals(file.value(), byBlock.getFile(0).getFileId());
        assertEquals(1, byBlock.getFile(0).getBlockCount());
        assertEquals(block.get(), byBlock.getFile(0).getBlock(0).getBlockId());
        FsckReply byId = run(
                FsckRequest.newBuilder().addFileId(file.value()).setLimit(10).build());
        assertEquals(2, byId.getHealth().getHealthy() + byId.getHealth().getUnderReplicated());
        FsckRequest unknown = FsckRequest.newBuilder().setBlockId(12_345).build();
        TatamiException refused = assertThrows(TatamiException.class, () -> run(unknown));
        assertEquals(ErrorCode.NOT_FOUND, refused.code());
    }

    /** Here one server holds the metadata. */
    @Test
    void inlineFilesHaveAsManyCopiesAsTheirGroupHasReplicas() throws Exception {
        FileId one = shard.inline("one", "hello");
        FileId three = shard.inline("three", "hello");
        shard.change(state -> state.putHome(
                three, shard.home(three).toBuilder().setReplication(3).build()));
        FsckReply reply = run(ALL.toBuilder().setListAll(true).build());
        assertEquals(List.of(), reply.getFindingList());
        assertEquals(2, reply.getInlineFiles());
        assertEquals(1, reply.getInlineFilesWithFewerCopies());
        CheckedFile listed = reply.getFileList().stream()
                .filter(file -> file.getFileId() == one.value())
                .findFirst()
                .orElseThrow();
        assertEquals(1, listed.getInlineCopies());
    }

    @Test
    void cursorThatIsNoneIsRefused() {
        FsckRequest request = ALL.toBuilder()
                .setLimit(5)
                .setCursor(ByteString.copyFromUtf8("nonsense"))
                .build();
        TatamiException refused = assertThrows(TatamiException.class, () -> run(request));
        assertEquals(ErrorCode.MALFORMED, refused.code());
    }

    @Test
    void onlyTheSuperuserChecks() {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> shard.run(new Fsck(ServersOfMap::view), ALL));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
    }
}
