package io.tatami.meta.service.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.reclaim.BeginAudit;
import io.tatami.meta.op.reclaim.ReclaimDirectories;
import io.tatami.meta.op.reclaim.RecordAudit;
import io.tatami.meta.op.reclaim.RecordDamage;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.wire.AuditFinding;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class ReclamationTest {
    private static final DirectoryId DIRECTORY = new DirectoryId(7);
    private static final int SERVER = 1;
    private static final int OTHER = 2;

    private final ReclaimShard shard = new ReclaimShard(0);
    private final BlockReclaimer reclaimer = new BlockReclaimer(shard.parts());
    private final ServerAudit audit = new ServerAudit(shard.parts(), new DrainWatch(shard.parts()));

    @Test
    void deletedFileGivesItsBlocksBackOnEveryServer() {
        FileId file = write("f", List.of(SERVER, OTHER));
        shard.change(state -> FileRemoval.unlinkHome(state, file));
        assertEquals(1, shard.queued());
        reclaimAll();
        assertEquals(0, shard.queued());
        assertTrue(shard.disk(SERVER).isEmpty() && shard.disk(OTHER).isEmpty());
    }

    @Test
    void silentServerKeepsItsBlocksQueuedAndHoldsUpNobody() {
        FileId first = write("f", List.of(SERVER));
        FileId second = write("g", List.of(OTHER));
        shard.silent.add(SERVER);
        shard.change(state -> FileRemoval.unlinkHome(state, first));
        shard.change(state -> FileRemoval.unlinkHome(state, second));
        reclaimAll();
        assertEquals(1, shard.queued());
        assertTrue(shard.disk(OTHER).isEmpty());

        shard.silent.clear();
        reclaimAll();
        assertEquals(1, shard.queued());
        shard.pass(Backlog.PAUSE_MIN);
        reclaimAll();
        assertEquals(0, shard.queued());
        assertTrue(shard.disk(SERVER).isEmpty());
    }

    @Test
    void deadServerCostsNoReadsAndNoRequestsAndGoesOnWhenItReturns() {
        queueBlocks(SERVER, 3_000);
        shard.silent.add(SERVER);
        reclaimFor(Duration.ofSeconds(30));
        assertTrue(shard.requests.size() <= 10, () -> shard.requests + " were sent before the server counts as dead");
        shard.dead.add(SERVER);
        shard.recordsRead = 0;
        shard.requests.clear();
        reclaimFor(Duration.ofMinutes(20));
        assertEquals(0, shard.recordsRead);
        assertEquals(List.of(), shard.requests);

        queueBlocks(OTHER, 2_000);
        reclaimFor(Duration.ofSeconds(3));
        assertEquals(3_000, shard.queued());
        assertEquals(2_000, shard.recordsRead);

        shard.recordsRead = 0;
        shard.requests.clear();
        shard.silent.clear();
        shard.dead.clear();
        reclaimFor(Duration.ofSeconds(1));
        assertEquals(0, shard.queued());
        assertEquals(Set.of(), shard.disk(SERVER));
        assertEquals(6, shard.requests.size());
    }

    @Test
    void leaderThatStartsWhileAServerIsDeadReadsItsIntentsOnce() {
        queueBlocks(SERVER, 3_000);
        queueBlocks(OTHER, 100);
        shard.silent.add(SERVER);
        shard.dead.add(SERVER);
        reclaimFor(Duration.ofMinutes(20));
        assertEquals(3_100, shard.recordsRead);
        assertEquals(100, shard.requests.stream().mapToInt(Integer::intValue).sum());
        assertTrue(shard.requests.size() <= 2, () -> shard.requests + " were sent");
    }

    @Test
    void serverThatIsSilentAndNotDeadIsAskedForOnePageAndLessAndLessOften() {
        queueBlocks(SERVER, 128);
        queueBlocks(OTHER, 3_000);
        queueBlocks(SERVER, 3_000);
        shard.silent.add(SERVER);
        reclaimFor(Duration.ofSeconds(10));
        shard.recordsRead = 0;
        shard.requests.clear();
        reclaimFor(Duration.ofMinutes(20));
        assertTrue(shard.requests.size() <= 24, () -> shard.requests.size() + " requests");
        assertTrue(shard.recordsRead <= 24 * 512, () -> shard.recordsRead + " records");

        shard.silent.clear();
        reclaimFor(Backlog.PAUSE_MAX.plusSeconds(1));
        assertEquals(0, shard.queued());
    }

    @Test
    void blocksOfAVolumeThatIsAwayDoNotKeepTheOthersWaiting() {
        queueBlocks(SERVER, 2_000);
        List<Long> away = shard.disk(SERVER).stream().limit(700).toList();
        shard.disk(SERVER).removeAll(away);
        shard.withoutVolume.add(SERVER);
        reclaimFor(Duration.ofSeconds(2));
        assertEquals(700, shard.queued());
        assertEquals(Set.of(), shard.disk(SERVER));

        shard.withoutVolume.clear();
        shard.disk(SERVER).addAll(away);
        reclaimFor(Backlog.PAUSE_MAX);
        assertEquals(0, shard.queued());
    }

    @Test
    void directoriesBeyondWhatIsKeptAreEmptiedToo() {
        int directories = BlockReclaimer.DIRECTORIES_MAX + 500;
        for (int i = 0; i < directories; i++) {
            DirectoryId directory = new DirectoryId(1_000 + i);
            EntryRecord leaving =
                    EntryRecord.newBuilder().setLeavingTransaction(5).build();
            shard.change(state -> {
                state.entries().changeRecord(directory, "f", leaving);
                state.addReclaim(ReclaimRecord.newBuilder()
                        .setDirectoryId(directory.value())
                        .build());
            });
        }
        reclaimFor(Duration.ofMinutes(1));
        assertEquals(directories, shard.queued());
        assertTrue(shard.recordsRead <= directories, () -> shard.recordsRead + " records");

        for (int i = 0; i < directories; i++) {
            DirectoryId directory = new DirectoryId(1_000 + i);
            shard.change(state -> state.entries().changeRecord(directory, "f", null));
        }
        reclaimFor(Duration.ofSeconds(20));
        assertEquals(0, shard.queued());
    }

    @Test
    void deadDirectoryIsEmptiedAndAnEntryThatIsLeavingIsLeft() {
        for (int i = 0; i < 600; i++) {
            write("f" + i, List.of(SERVER));
        }
        setLeaving("f300", 5);
        var queued = shard.submit(
                        new ReclaimDirectories(),
                        RequestOrigin.SERVICE,
                        ReclaimDirectoriesRequest.newBuilder()
                                .addDirectoryId(DIRECTORY.value())
                                .build())
                .join();
        assertEquals(0, queued.getSerializedSize());
        reclaimAll();
        assertEquals(1, shard.disk(SERVER).size());
        assertEquals(1, shard.state().slice(DIRECTORY).getFiles());

        setLeaving("f300", 0);
        shard.pass(Backlog.PAUSE_MIN);
        reclaimAll();
        assertTrue(shard.disk(SERVER).isEmpty());
        assertEquals(0, shard.state().slice(DIRECTORY).getFiles());
        assertEquals(0, shard.queued());
    }

    @Test
    void auditWritesDownWhatIsMissingAndThatItIsSoundAgain() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.disk(SERVER).clear();
        auditAfter(Duration.ZERO);
        assertEquals(Problem.MISSING, problem(block));
        shard.disk(SERVER).add(block.value());
        auditAfter(ServerAudit.PERIOD);
        assertEquals(Problem.NONE, problem(block));
    }

    @Test
    void blockOnAVolumeThatDidNotOpenStaysQueuedUntilTheVolumeIsBackOrGivenUp() {
        FileId first = write("f", List.of(SERVER));
        FileId second = write("g", List.of(SERVER));
        Set<Long> volume = Set.copyOf(shard.disk(SERVER));
        shard.disk(SERVER).clear();
        shard.withoutVolume.add(SERVER);
        shard.change(state -> FileRemoval.unlinkHome(state, first));
        reclaimAll();
        assertEquals(1, shard.queued());

        shard.disk(SERVER).addAll(volume);
        shard.withoutVolume.clear();
        shard.pass(Backlog.PAUSE_MIN);
        reclaimAll();
        assertEquals(0, shard.queued());
        assertEquals(1, shard.disk(SERVER).size());

        shard.disk(SERVER).clear();
        shard.withoutVolume.add(SERVER);
        shard.change(state -> FileRemoval.unlinkHome(state, second));
        reclaimAll();
        assertEquals(1, shard.queued());
        shard.withoutVolume.clear();
        shard.pass(Backlog.PAUSE_MIN);
        reclaimAll();
        assertEquals(0, shard.queued());
    }

    @Test
    void blockOnAVolumeThatDidNotOpenIsUnavailableUntilTheVolumeIsBackOrGivenUp() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        auditAfter(Duration.ZERO);
        shard.disk(SERVER).clear();
        shard.withoutVolume.add(SERVER);
        auditAfter(ServerAudit.PERIOD);
        assertEquals(Problem.UNAVAILABLE, problem(block));

        shard.disk(SERVER).add(block.value());
        shard.withoutVolume.clear();
        auditAfter(ServerAudit.CONFIRMATION);
        assertEquals(Problem.NONE, problem(block));

        shard.disk(SERVER).clear();
        auditAfter(ServerAudit.PERIOD);
        assertEquals(Problem.MISSING, problem(block));
    }

    @Test
    void copiesOnAVolumeThatIsGivenUpAreMissingAtOnce() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.volumes.put(SERVER, 1L);
        auditAfter(Duration.ZERO);
        shard.disk(SERVER).clear();
        auditAfter(ServerAudit.SOON);
        assertEquals(Problem.NONE, problem(block));

        shard.volumes.put(SERVER, 2L);
        auditAfter(Duration.ZERO);
        assertEquals(Problem.MISSING, problem(block));

        shard.disk(SERVER).add(block.value());
        shard.volumes.put(SERVER, 1L);
        auditAfter(ServerAudit.SOON);
        assertEquals(Problem.NONE, problem(block));
    }

    @Test
    void copiesOnAVolumeThatStopsAreUnavailableAtOnce() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.volumes.put(SERVER, 1L);
        auditAfter(Duration.ZERO);
        shard.disk(SERVER).clear();
        shard.withoutVolume.add(SERVER);
        shard.volumes.put(SERVER, 2L);
        auditAfter(ServerAudit.SOON);
        assertEquals(Problem.UNAVAILABLE, problem(block));
    }

    @Test
    void blockThatWasOpenWhenItsVolumeWasGivenUpIsMissingSoon() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        setHeld(block, false);
        shard.volumes.put(SERVER, 1L);
        auditAfter(Duration.ZERO);
        shard.disk(SERVER).clear();
        shard.volumes.put(SERVER, 2L);
        auditAfter(ServerAudit.SOON);
        assertEquals(Problem.NONE, problem(block));

        setHeld(block, true);
        auditAfter(ServerAudit.CONFIRMATION);
        assertEquals(Problem.MISSING, problem(block));
    }

    @Test
    void serverThatStartsAgainBeforeItIsStaleIsAuditedAtOnce() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.incarnations.put(SERVER, 1L);
        auditAfter(Duration.ZERO);
        shard.disk(SERVER).clear();
        shard.incarnations.put(SERVER, 2L);
        auditAfter(ServerAudit.SOON);
        assertEquals(Problem.MISSING, problem(block));
    }

    @Test
    void voidRoundIsRepeatedSoonAtFirstAndLessAndLessOften() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.disk(SERVER).clear();
        shard.silent.add(SERVER);
        auditAfter(Duration.ZERO);
        for (int round = 1; round < 10; round++) {
            auditAfter(ServerAudit.SOON);
        }
        // After 0, 5, 15 and 35 s.
        assertEquals(4, shard.requests.size());
        shard.silent.clear();
        auditAfter(ServerAudit.CONFIRMATION);
        assertEquals(Problem.MISSING, problem(block));
    }

    @Test
    void serverWhoseVolumesChangeAgainAndAgainIsAuditedNowAndThen() {
        write("f", List.of(SERVER));
        for (long second = 0; second < 60; second++) {
            shard.volumes.put(SERVER, second + 1);
            auditAfter(Duration.ofSeconds(1));
        }
        assertEquals(60 / ServerAudit.SOON.toSeconds(), shard.requests.size());
    }

    @Test
    void serversThatAreDueAllTheTimeKeepNoOtherFromItsAudit() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.disk(SERVER).clear();
        for (int server = OTHER; server <= OTHER + 1; server++) {
            shard.disk(server).add(block.value());
            shard.slow.put(server, ServerAudit.SOON.plusSeconds(1));
        }
        for (int run = 0; run < 10; run++) {
            Duration unused = audit.run().join();
        }
        assertEquals(Problem.MISSING, problem(block));
    }

    @Test
    void copyThatWasDamagedStaysSoWhileItsVolumeIsNotThere() {
        write("f", List.of(SERVER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        shard.change(state -> state.putReplica(
                new ServerId(SERVER),
                block,
                Objects.requireNonNull(state.replica(new ServerId(SERVER), block)).toBuilder()
                        .setProblem(Problem.DAMAGED)
                        .build()));
        shard.disk(SERVER).clear();
        shard.withoutVolume.add(SERVER);
        auditAfter(Duration.ZERO);
        assertEquals(Problem.DAMAGED, problem(block));
    }

    @Test
    void unknownBlocksOfTheOtherVolumesAreStillGivenBack() {
        for (int i = 0; i < 200; i++) {
            write("f" + i, List.of(SERVER));
        }
        long unknown = shard.mint().value();
        shard.disk(SERVER).add(unknown);
        shard.withoutVolume.add(SERVER);
        auditAfter(Duration.ZERO);
        auditAfter(ServerAudit.CONFIRMATION);
        reclaimAll();
        assertFalse(shard.disk(SERVER).contains(unknown));
        assertEquals(200, shard.disk(SERVER).size());
    }

    @Test
    void damagedCopyIsWrittenDownWithoutAnAudit() {
        write("f", List.of(SERVER, OTHER));
        BlockId block = new BlockId(shard.disk(SERVER).iterator().next());
        DamagedCopiesRequest told = DamagedCopiesRequest.newBuilder()
                .setServerId(SERVER)
                .addBlockId(shard.mint().value())
                .addBlockId(block.value())
                .build();

        shard.submit(new RecordDamage(), RequestOrigin.SERVICE, told).join();

        assertEquals(Problem.DAMAGED, problem(block));
        assertEquals(
                Problem.NONE,
                Objects.requireNonNull(shard.state().replica(new ServerId(OTHER), block))
                        .getProblem());
    }

    @Test
    void noticeOfMoreDamageThanARequestMayNameIsRefused() {
        DamagedCopiesRequest.Builder told = DamagedCopiesRequest.newBuilder().setServerId(SERVER);
        for (int i = 0; i <= RecordDamage.BLOCKS_MAX; i++) {
            told.addBlockId(shard.mint().value());
        }
        CompletionException refused = assertThrows(
                CompletionException.class,
                () -> shard.submit(new RecordDamage(), RequestOrigin.SERVICE, told.build())
                        .join());
        assertEquals(
                ErrorCode.MALFORMED,
                assertInstanceOf(TatamiException.class, refused.getCause()).code());
    }

    @Test
    void unknownBlockGoesOnlyAfterTwoRoundsAgree() {
        for (int i = 0; i < 200; i++) {
            write("f" + i, List.of(SERVER));
        }
        long unknown = shard.mint().value();
        shard.disk(SERVER).add(unknown);
        auditAfter(Duration.ZERO);
        reclaimAll();
        assertTrue(shard.disk(SERVER).contains(unknown));
        auditAfter(ServerAudit.CONFIRMATION);
        reclaimAll();
        assertFalse(shard.disk(SERVER).contains(unknown));
        assertEquals(200, shard.disk(SERVER).size());
    }

    @Test
    void manyUnknownBlocksAreLeftAlone() {
        write("f", List.of(SERVER));
        shard.disk(SERVER).add(shard.mint().value());
        auditAfter(Duration.ZERO);
        auditAfter(ServerAudit.PERIOD);
        auditAfter(ServerAudit.PERIOD);
        assertEquals(0, shard.queued());
        assertEquals(2, shard.disk(SERVER).size());
    }

    @Test
    void roundWithAnErrorCountsForNothing() {
        for (int i = 0; i < 200; i++) {
            write("f" + i, List.of(SERVER));
        }
        shard.disk(SERVER).add(shard.mint().value());
        auditAfter(Duration.ZERO);
        shard.silent.add(SERVER);
        auditAfter(ServerAudit.CONFIRMATION);
        shard.silent.clear();
        auditAfter(ServerAudit.CONFIRMATION);
        assertEquals(0, shard.queued());
    }

    @Test
    void blockThatWasGrantedWithItsFileAndIsBeingWrittenIsKnown() {
        for (int i = 0; i < 200; i++) {
            write("f" + i, List.of(SERVER));
        }
        FileId[] file = new FileId[1];
        shard.change(state -> {
            file[0] = state.mintFile();
            BlockRecord granted = BlockRecord.newBuilder()
                    .setBlockId(file[0].value())
                    .addServerId(SERVER)
                    .setOpen(true)
                    .build();
            state.putNewHome(
                    file[0],
                    HomeRecord.newBuilder().setBlocks(1).setGranted(granted).build());
        });
        shard.disk(SERVER).add(file[0].value());
        auditAfter(Duration.ZERO);
        auditAfter(ServerAudit.PERIOD);
        auditAfter(ServerAudit.PERIOD);
        assertEquals(0, shard.queued());

        shard.change(state -> FileRemoval.unlinkHome(state, file[0]));
        reclaimAll();
        assertEquals(200, shard.disk(SERVER).size());
    }

    @Test
    void blockThatIsIntendedSinceTheRoundIsNotDisowned() {
        for (int i = 0; i < 200; i++) {
            write("f" + i, List.of(SERVER));
        }
        BlockId block = shard.mint();
        shard.disk(SERVER).add(block.value());
        auditAfter(Duration.ZERO);
        shard.change(state -> state.putReplica(
                new ServerId(SERVER),
                block,
                ReplicaRecord.newBuilder().setFileId(1).build()));
        auditAfter(ServerAudit.CONFIRMATION);
        reclaimAll();
        assertTrue(shard.disk(SERVER).contains(block.value()));
    }

    @Test
    void shardThatWasRestoredReclaimsNothingUnknown() {
        ReclaimShard restored = new ReclaimShard(1);
        ServerAudit audits = new ServerAudit(restored.parts(), new DrainWatch(restored.parts()));
        for (int i = 0; i < 3; i++) {
            restored.disk(SERVER).add(restored.mint().value());
            audits.run().join();
            restored.pass(ServerAudit.PERIOD);
        }
        assertEquals(0, restored.queued());
    }

    private void queueBlocks(int server, int count) {
        for (int i = 0; i < count; i++) {
            BlockId block = shard.mint();
            shard.disk(server).add(block.value());
            shard.change(state -> state.addReclaim(ReclaimRecord.newBuilder()
                    .setBlockId(block.value())
                    .setGeneration(1)
                    .addServerId(server)
                    .build()));
        }
    }

    /** As the background task runs while {@code time} passes. */
    private void reclaimFor(Duration time) {
        Duration left = time;
        while (!left.isNegative()) {
            Duration rest = reclaimer.run().join();
            shard.pass(rest);
            left = left.minus(rest);
        }
    }

    private void reclaimAll() {
        int runs = 0;
        while (reclaimer.run().join().isZero()) {
            assertTrue(++runs < 100, "reclamation does not come to rest");
        }
    }

    private void auditAfter(Duration time) {
        shard.pass(time);
        int runs = 0;
        while (audit.run().join().isZero()) {
            assertTrue(++runs < 100, "the audit does not come to rest");
        }
    }

    private void setHeld(BlockId block, boolean held) {
        shard.change(state -> state.putReplica(
                new ServerId(SERVER),
                block,
                Objects.requireNonNull(state.replica(new ServerId(SERVER), block)).toBuilder()
                        .setHeld(held)
                        .build()));
    }

    private Problem problem(BlockId block) {
        return Objects.requireNonNull(shard.state().replica(new ServerId(SERVER), block))
                .getProblem();
    }

    private void setLeaving(String name, long transaction) {
        shard.change(state -> state.entries()
                .changeRecord(
                        DIRECTORY,
                        name,
                        Objects.requireNonNull(state.entry(DIRECTORY, name)).toBuilder()
                                .setLeavingTransaction(transaction)
                                .build()));
    }

    /** A closed file of one block. */
    @Test
    void roundThatBeganBeforeACopyDidSaysNothingOfIt() {
        FileId file = write("f", List.of(SERVER));
        BlockId block =
                new BlockId(Objects.requireNonNull(shard.state().block(file, 0)).getBlockId());
        long before = beginRound();
        shard.change(state -> state.putReplica(new ServerId(SERVER), block, state.replicaFromNow(file, true)));
        assertEquals(0, recordMissing(block, before));
        assertEquals(1, recordMissing(block, beginRound()));
    }

    private long beginRound() {
        return shard.submit(new BeginAudit(), RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .join()
                .getRound();
    }

    /** How many records that changes. */
    private int recordMissing(BlockId block, long round) {
        AuditFinding.Builder finding =
                AuditFinding.newBuilder().setBlockId(block.value()).setProblem(Problem.MISSING);
        RecordAuditRequest request = RecordAuditRequest.newBuilder()
                .setServerId(SERVER)
                .setRound(round)
                .addFinding(finding)
                .build();
        return shard.submit(new RecordAudit(), RequestOrigin.SERVICE, request)
                .join()
                .getChanged();
    }

    private FileId write(String name, List<Integer> servers) {
        BlockId block = shard.mint();
        FileId[] file = new FileId[1];
        shard.change(state -> {
            file[0] = state.mintFile();
            EntryRecord entry = EntryRecord.newBuilder()
                    .setFile(FileEntry.newBuilder().setFileId(file[0].value()).setLength(5))
                    .build();
            state.entries().changeName(DIRECTORY, name, entry, 1);
            state.putHome(file[0], HomeRecord.newBuilder().setBlocks(1).build());
            state.putBlock(
                    file[0],
                    0,
                    BlockRecord.newBuilder()
                            .setBlockId(block.value())
                            .setGeneration(1)
                            .setLength(5)
                            .addAllServerId(servers)
                            .build());
            for (int server : servers) {
                state.putReplica(
                        new ServerId(server),
                        block,
                        ReplicaRecord.newBuilder()
                                .setFileId(file[0].value())
                                .setHeld(true)
                                .build());
            }
        });
        servers.forEach(server -> shard.disk(server).add(block.value()));
        return file[0];
    }
}
