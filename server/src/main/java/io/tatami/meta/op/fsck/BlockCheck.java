package io.tatami.meta.op.fsck;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.cluster.BlockHealth;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.ServersView;
import io.tatami.meta.op.copies.HealthCounts;
import io.tatami.meta.op.copies.KnownCopies;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedBlock.Health;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.CheckedFile;
import java.util.List;

/** Checks the blocks of files, and judges their copies as they are judged when copies are made. */
final class BlockCheck {
    private final ShardState state;
    private final CopyJudge judge;
    private final Report report;

    BlockCheck(ShardState state, ServersView servers, Report report) {
        this.state = state;
        this.judge = new CopyJudge(servers);
        this.report = report;
    }

    /** The under-replicated blocks of a file, for one finding about all of them. */
    static final class Under {
        private final int wanted;
        private int blocks;
        private int fewest;

        Under(int wanted) {
            this.wanted = wanted;
            this.fewest = wanted;
        }

        private void add(BlockHealth health) {
            if (health.state() == BlockHealth.State.UNDER_REPLICATED) {
                blocks++;
                fewest = Math.min(fewest, health.good());
            }
        }
    }

    /** @param listed gets the block, if blocks of its health are listed */
    void check(
            Report.Target target,
            HomeRecord home,
            int index,
            BlockRecord block,
            CheckedFile.Builder listed,
            Under under) {
        BlockId id = new BlockId(block.getBlockId());
        if (!target.file().equals(state.fileOf(id))) {
            report.find(target, id, "the block is not recorded as this file's");
        }
        if (block.getOpen() && HomeCheck.isAtRest(home)) {
            report.find(target, id, "the block is open and its file is closed");
        }
        List<KnownCopy> copies = KnownCopies.of(state, block);
        copies.forEach(copy -> check(target, id, copy));
        Health health;
        if (block.getOpen()) {
            report.countOpenBlock();
            health = Health.OPEN;
        } else {
            BlockHealth judged = judge.health(Math.max(1, home.getReplication()), copies);
            report.count(judged);
            under.add(judged);
            findUnreadable(target, id, judged);
            health = HealthCounts.wire(judged.state());
        }
        if (report.lists(health)) {
            listed.addBlock(checked(index, block, health, copies));
        }
    }

    /** A block without any copy that can be read is found by itself. */
    void find(Report.Target target, Under under, int blocks) {
        if (under.blocks > 0) {
            report.find(
                    target,
                    "is under-replicated: " + under.blocks + " of " + blocks + " blocks have fewer than " + under.wanted
                            + " copies, as few as " + under.fewest);
        }
    }

    private void check(Report.Target target, BlockId block, KnownCopy copy) {
        ServerId server = copy.server();
        if (state.replica(server, block) == null) {
            report.find(target, block, "server " + server.value() + " is not recorded as a holder of the block");
        }
        String problem = switch (copy.problem()) {
            case NONE -> "";
            case MISSING -> " is missing";
            case DAMAGED -> " is damaged";
            case UNAVAILABLE ->
                " is unavailable: a volume of the server has stopped or was not opened, see 'tatami status'";
        };
        if (!problem.isEmpty()) {
            report.find(target, block, "the copy on server " + server.value() + problem);
        }
    }

    private void findUnreadable(Report.Target target, BlockId block, BlockHealth health) {
        String why = switch (health.state()) {
            case DAMAGED -> "all that are left are damaged";
            case MISSING -> "all are missing";
            case UNKNOWN -> "a server or a volume that may have one is away";
            case HEALTHY, UNDER_REPLICATED, OVER_REPLICATED, MISREPLICATED -> "";
        };
        if (!why.isEmpty()) {
            report.find(target, block, "no copy of the block can be read now: " + why);
        }
    }

    private static CheckedBlock checked(int index, BlockRecord block, Health health, List<KnownCopy> copies) {
        CheckedBlock.Builder checked = CheckedBlock.newBuilder()
                .setBlockId(block.getBlockId())
                .setIndex(index)
                .setLength(block.getLength())
                .setGeneration(block.getGeneration())
                .setHealth(health);
        copies.forEach(copy -> checked.addCopy(CheckedCopy.newBuilder()
                .setServerId(copy.server().value())
                .setKind(kind(copy))
                .setProblem(problem(copy))));
        return checked.build();
    }

    private static CheckedCopy.Kind kind(KnownCopy copy) {
        return switch (copy.kind()) {
            case COUNTED -> CheckedCopy.Kind.COUNTED;
            case INTENDED -> CheckedCopy.Kind.INTENDED;
            case SPARE -> CheckedCopy.Kind.SPARE;
        };
    }

    private static CheckedCopy.Problem problem(KnownCopy copy) {
        return switch (copy.problem()) {
            case NONE -> CheckedCopy.Problem.NONE;
            case MISSING -> CheckedCopy.Problem.MISSING;
            case DAMAGED -> CheckedCopy.Problem.DAMAGED;
            case UNAVAILABLE -> CheckedCopy.Problem.UNAVAILABLE;
        };
    }
}
