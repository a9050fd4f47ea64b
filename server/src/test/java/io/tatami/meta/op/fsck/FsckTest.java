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
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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

    private static FsckReply check(FileShard shard) throws Exception {
        RequestContext superuser = new RequestContext(
                new Caller("root", List.of(), true),
                FileShard.WRITER,
                1,
                shard.settled,
                shard.context().cluster());
        return shard.run(new Fsck(), ALL, superuser);
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
    void anUnrecordedHolderAndAnUnreadableBlockAreFound() throws Exception {
        shard.change(state -> {
            BlockRecord block = block(state, 0);
            state.removeReplica(new ServerId(block.getServerId(0)), new BlockId(block.getBlockId()));
        });
        List<String> problems =
                check(shard).getFindingList().stream().map(Finding::getProblem).toList();
        assertEquals(2, problems.size(), problems::toString);
        assertTrue(problems.get(0).contains("not recorded as a holder"), problems::toString);
        assertTrue(problems.get(1).contains("no copy of the block can be read"), problems::toString);
    }

    @Test
    void whatAnAuditFoundOfACopyIsFound() throws Exception {
        for (Map.Entry<ReplicaRecord.Problem, String> found : Map.of(
                        ReplicaRecord.Problem.DAMAGED, "is damaged",
                        ReplicaRecord.Problem.MISSING, "is missing",
                        ReplicaRecord.Problem.UNAVAILABLE, "is unavailable: a volume of the server")
                .entrySet()) {
            shard.change(state -> {
                BlockRecord block = block(state, 0);
                ServerId server = new ServerId(block.getServerId(0));
                BlockId id = new BlockId(block.getBlockId());
                ReplicaRecord replica = state.replica(server, id);
                assertTrue(replica != null);
                state.putReplica(
                        server,
                        id,
                        ReplicaRecord.newBuilder()
                                .setFileId(file.value())
                                .setHeld(true)
                                .setProblem(found.getKey())
                                .build());
            });
            String problem = check(shard).getFinding(0).getProblem();
            assertTrue(problem.contains(found.getValue()), problem);
        }
    }

    @Test
    void aFileWithFewerCopiesThanItAsksForIsUnderReplicated() throws Exception {
        String problem = problemAfter(state -> state.putHome(
                file, shard.home(file).toBuilder().setReplication(3).build()));
        assertTrue(problem.contains("2 of 2 blocks have fewer than 3 copies"), problem);
        FsckReply reply = check(shard);
        assertEquals(2, reply.getUnderReplicatedBlocks());
        assertEquals(6 - copies(), reply.getMissingCopies());
    }

    private int copies() throws Exception {
        AtomicInteger copies = new AtomicInteger();
        shard.change(state -> state.blocks(file).forEach(block -> copies.addAndGet(block.getServerIdCount())));
        return copies.get();
    }

    @Test
    void onlyTheSuperuserChecks() {
        TatamiException refused = assertThrows(TatamiException.class, () -> shard.run(new Fsck(), ALL));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
    }
}
