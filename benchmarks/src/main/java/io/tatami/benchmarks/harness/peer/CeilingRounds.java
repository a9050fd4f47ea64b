package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.DeviceCeiling;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Rounds with the disk's ceiling before and after each; one whose two ceilings differ by more than
 * {@value DeviceCeiling#SPREAD_MAX} does not count. Where there is no ceiling all count.
 */
public final class CeilingRounds {
    private final DeviceCeiling ceiling;
    private final Recorder recorder;
    private final Rounds figures;
    private final Results results;

    /** Puts a ceiling among the results. */
    @FunctionalInterface
    public interface Recorder {
        /** @param direction {@code write} or {@code read} */
        void record(int round, String direction, double megabytesPerSecond);
    }

    /** What is measured of a peer in a round. */
    @FunctionalInterface
    public interface Turn {
        void measure(int round, String peer) throws Exception;
    }

    /**
     * @param work on the disk in question
     * @param mebibytes how much is written and read for a ceiling
     * @param figures what each round put there is kept or left out
     */
    public CeilingRounds(Path work, int mebibytes, Recorder recorder, Rounds figures, Results results) {
        this.ceiling = new DeviceCeiling(work, mebibytes);
        this.recorder = recorder;
        this.figures = figures;
        this.results = results;
    }

    /**
     * Gives each peer its turn in each round.
     *
     * @param undo takes the ceiling's file away
     */
    public void run(int rounds, PeerOrder order, Undo undo, Turn turn) throws Exception {
        undo.add(ceiling::remove);
        boolean hasCeiling = DeviceCeiling.isAvailable();
        if (!hasCeiling) {
            results.remark("no ceiling: there is no fio, and only root can install it");
        }
        RoundTurns turns = results.turns(rounds, order.size());
        for (int round = 1; round <= rounds; round++) {
            DeviceCeiling.Speed before = hasCeiling ? measure(round) : null;
            for (String peer : order.next()) {
                turns.next();
                turn.measure(round, peer);
            }
            if (before == null || before.isNear(measure(round))) {
                figures.keep();
            } else {
                figures.leaveOut();
                results.remark("round " + round + " is left out: its two ceilings differ by more than "
                        + DeviceCeiling.SPREAD_MAX);
            }
        }
        ceiling.remove();
    }

    private DeviceCeiling.Speed measure(int round) throws IOException, InterruptedException {
        DeviceCeiling.Speed speed = ceiling.measure();
        recorder.record(round, "write", speed.writeBytesPerSecond() / 1e6);
        recorder.record(round, "read", speed.readBytesPerSecond() / 1e6);
        return speed;
    }
}
