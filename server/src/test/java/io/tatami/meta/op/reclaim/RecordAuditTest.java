package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.wire.AuditFinding;
import io.tatami.meta.state.wire.CompareAuditReply;
import io.tatami.meta.state.wire.CompareAuditRequest;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.UnknownCopy;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A closed file of one block on one server. */
final class RecordAuditTest {
    private final FileShard shard = new FileShard();
    private BlockId block = BlockId.NONE;
    private ServerId server = ServerId.NONE;

    @BeforeEach
    void write() throws Exception {
        var record = Objects.requireNonNull(shard.state().block(shard.written("f", 10), 0));
        block = new BlockId(record.getBlockId());
        server = new ServerId(record.getServerId(0));
        shard.change(state -> state.needs().remove(block));
    }

    private long begin() throws Exception {
        return shard.run(new BeginAudit(), Empty.getDefaultInstance()).getRound();
    }

    private CompareAuditReply compare(AuditReply answer) throws Exception {
        return shard.run(
                new CompareAudit(),
                CompareAuditRequest.newBuilder()
                        .setServerId(server.value())
                        .setAsked(AuditRequest.newBuilder()
                                .addItem(AuditRequest.Item.newBuilder().setBlockId(block.value())))
                        .setAnswer(answer)
                        .build());
    }

    private void record(long round, Problem problem) throws Exception {
        shard.run(
                new RecordAudit(),
                RecordAuditRequest.newBuilder()
                        .setServerId(server.value())
                        .setRound(round)
                        .addFinding(AuditFinding.newBuilder()
                                .setBlockId(block.value())
                                .setProblem(problem))
                        .build());
    }

    private Problem known() {
        return Objects.requireNonNull(shard.state().replica(server, block)).getProblem();
    }

    @Test
    void onlyWhatDiffersIsTold() throws Exception {
        assertEquals(0, compare(AuditReply.getDefaultInstance()).getFindingCount());
        AuditReply missing =
                AuditReply.newBuilder().addMissingBlockId(block.value()).build();
        assertEquals(Problem.MISSING, compare(missing).getFinding(0).getProblem());
        record(begin(), Problem.MISSING);
        assertEquals(0, compare(missing).getFindingCount());
        assertEquals(
                Problem.NONE,
                compare(AuditReply.getDefaultInstance()).getFinding(0).getProblem());
    }

    @Test
    void findingPutsTheBlockOnTheQueue() throws Exception {
        assertNull(shard.state().needs().urgency(block));
        record(begin(), Problem.MISSING);
        assertEquals(Problem.MISSING, known());
        assertNotNull(shard.state().needs().urgency(block));
        shard.change(state -> state.needs().remove(block));
        record(begin(), Problem.NONE);
        assertEquals(Problem.NONE, known());
        assertNotNull(shard.state().needs().urgency(block));
    }

    @Test
    void damageIsClearedOnlyByARoundThatBeganAfterIt() throws Exception {
        long before = begin();
        shard.run(
                new RecordDamage(),
                DamagedCopiesRequest.newBuilder()
                        .setServerId(server.value())
                        .addBlockId(block.value())
                        .build());
        assertNotNull(shard.state().needs().urgency(block));
        record(before, Problem.NONE);
        assertEquals(Problem.DAMAGED, known());
        record(begin(), Problem.NONE);
        assertEquals(Problem.NONE, known());
    }

    @Test
    void copyWithAnotherNumberThanTheOneThatIsKnownIsUnknown() throws Exception {
        UnknownCopy.Builder copy = UnknownCopy.newBuilder().setBlockId(block.value());
        AuditReply answer = AuditReply.newBuilder()
                .addUnknownCopy(copy.clone().setCopyNumber(3))
                .addUnknownCopy(copy)
                .build();
        assertEquals(List.of(copy.setCopyNumber(3).build()), compare(answer).getUnknownCopyList());
    }
}
