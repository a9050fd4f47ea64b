package io.tatami.server.cli;

import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.PositiveNumber;
import io.tatami.server.cli.option.RenewedScreen;
import io.tatami.server.cli.option.Terminal;
import io.tatami.server.cli.option.TimeSpan;
import io.tatami.server.node.Patience;
import io.tatami.server.traffic.TrafficJson;
import io.tatami.server.traffic.TrafficRates;
import io.tatami.server.traffic.TrafficReading;
import io.tatami.server.traffic.TrafficText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tatami top [URI]}. */
@Command(
        name = "top",
        description =
                "Shows how many requests a second clients make, in all, by user, client, directory and metadata server, and"
                        + " how many bytes a second each block server reads and writes. On a terminal the figures are"
                        + " renewed until Ctrl-C. For the superuser only, and only where metadata servers have an HTTP"
                        + " port.")
final class TopCommand implements Callable<Integer> {
    private static final Duration PATHS_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration INTERVAL_LEAST = Duration.ofMillis(100);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = TimeSpan.class,
            description = "Over how long rates are measured, at least 100ms (default: ${DEFAULT-VALUE}).")
    private Duration interval;

    @Option(
            names = "--count",
            paramLabel = "N",
            converter = PositiveNumber.class,
            description =
                    "How often rates are shown (default: until Ctrl-C on a terminal, else, and with --json, once).")
    private @Nullable Integer count;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10",
            converter = PositiveNumber.class,
            description =
                    "How many users, clients, directories and servers are shown of each, fewer where the terminal has"
                            + " no room (default: ${DEFAULT-VALUE}).")
    private int rows;

    @Option(names = "--json", description = "One JSON object a line each time.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException, InterruptedException {
        if (interval.compareTo(INTERVAL_LEAST) < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--interval is shorter than 100ms; write for example 500ms, 2s or 1m");
        }
        boolean isLive = !json && Terminal.isOutput();
        try (TatamiClient client = cluster.connect()) {
            ClusterAdmin admin = client.cluster();
            RenewedScreen screen = new RenewedScreen(spec.commandLine().getOut());
            TrafficReading before = Patience.of(spec.commandLine().getErr())
                    .await("waiting for the answers of groups and servers", () -> read(admin));
            for (int shown = 0; (isLive && count == null) || shown < times(); shown++) {
                Clock.SYSTEM.sleep(interval.toNanos());
                TrafficReading now = read(admin);
                show(admin, TrafficRates.between(before, now), isLive ? screen : null);
                if (spec.commandLine().getOut().checkError()) {
                    // Nobody reads any more.
                    return ExitCode.FAILED;
                }
                before = now;
            }
        }
        return ExitCode.DONE;
    }

    private int times() {
        return count == null ? 1 : count;
    }

    private static TrafficReading read(ClusterAdmin admin) throws TatamiException {
        return TrafficReading.of(admin, Clock.SYSTEM);
    }

    /** @param screen null where tables follow each other */
    private void show(ClusterAdmin admin, TrafficRates rates, @Nullable RenewedScreen screen) throws TatamiException {
        Terminal terminal = screen == null ? null : Terminal.now();
        int shown = terminal == null ? rows : TrafficText.rows(rows, terminal.rows(), rates);
        Map<DirectoryId, TatamiPath> paths = admin.directoryPaths(
                rates.directories().stream()
                        .limit(shown)
                        .map(TrafficRates.Rate::key)
                        .toList(),
                PATHS_TIMEOUT);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(TrafficJson.of(rates, paths, shown));
        } else if (screen != null && terminal != null) {
            screen.show(new TrafficText(rates, paths).lines(shown), terminal);
        } else {
            new TrafficText(rates, paths).lines(shown).forEach(out::println);
            out.println();
        }
        out.flush();
    }
}
