package io.tatami.benchmarks.workload.micro;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tatami bench micro}: JMH over this module's benchmarks, with what each operation allocates. */
@Command(
        name = "micro",
        mixinStandardHelpOptions = true,
        description = "JMH: frame codec, chunk checksums, extent allocator, placement, decide and apply.")
public final class MicroBenchmarks implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "PATTERN", description = "Only benchmarks whose name matches.")
    private String pattern = "io.tatami.*";

    @Option(names = "--forks", description = "JVMs for each benchmark (default: ${DEFAULT-VALUE}).")
    private int forks = 2;

    @Option(names = "--seconds", description = "Of each iteration (default: ${DEFAULT-VALUE}).")
    private int seconds = 2;

    @Option(names = "--results", description = "Where the raw figures go (default: ${DEFAULT-VALUE}).")
    private Path results = Path.of("benchmarks", "results");

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(results);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(pattern)
                .forks(forks)
                .warmupIterations(3)
                .warmupTime(TimeValue.seconds(seconds))
                .measurementIterations(5)
                .measurementTime(TimeValue.seconds(seconds))
                .jvmArgsAppend("-Xmx512m", "--add-opens=java.base/java.nio=ALL-UNNAMED")
                .addProfiler(GCProfiler.class)
                .resultFormat(ResultFormatType.CSV)
                .result(results.resolve("micro.csv").toString());
        new Runner(options.build()).run();
        return 0;
    }
}
