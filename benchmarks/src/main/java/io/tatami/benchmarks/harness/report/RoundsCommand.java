package io.tatami.benchmarks.harness.report;

import io.tatami.benchmarks.harness.host.Undo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A benchmark that repeats what it measures: has a file of raw figures, and undoes what it began however it ends. */
public abstract class RoundsCommand implements Callable<Integer> {
    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private final RoundOptions rounds;

    private final RawFigures figures;

    /**
     * The file of raw figures.
     *
     * @param name without its time
     */
    public record RawFigures(String name, List<String> columns) {}

    /**
     * @param name of the file of raw figures
     * @param columns of that file
     * @param rounds where no other number is asked for
     */
    protected RoundsCommand(String name, List<String> columns, int rounds) {
        this.figures = new RawFigures(name, columns);
        this.rounds = new RoundOptions(rounds);
    }

    /** What is kept, for a command that measures one of several things; asked once the options are known. */
    protected RawFigures rawFigures() {
        return figures;
    }

    /**
     * Measures, and says what came of it.
     *
     * @param work is there; servers keep their data below it
     * @return whether all went as it should, apart from how fast
     */
    protected abstract boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception;

    @Override
    public final Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results =
                new Results(place.results(), rawFigures().name(), rawFigures().columns())) {
            boolean isWell = measure(rounds, place.work(), undo, results);
            results.remark("raw figures: " + results.file());
            return isWell ? 0 : 1;
        } finally {
            undo.run();
        }
    }
}
