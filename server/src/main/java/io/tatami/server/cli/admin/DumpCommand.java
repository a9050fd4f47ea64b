package io.tatami.server.cli.admin;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.SettingKind;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.ProgressLine;
import io.tatami.server.dump.ClusterDump;
import io.tatami.server.dump.DumpArchive;
import io.tatami.server.node.Patience;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code tatami admin dump [URI]}. */
@Command(
        name = "dump",
        description =
                "Packs what all servers tell of themselves into one archive: logs, settings, stacks, metrics and states."
                        + " Exit code 1 if something is missing in it, which is listed. Only for the superuser.")
final class DumpCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss'Z'").withZone(ZoneOffset.UTC);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "The archive (default: tatami-dump-DATE-TIME.zip in this directory).")
    private @Nullable Path to;

    @Option(
            names = "--log",
            paramLabel = "SIZE",
            defaultValue = "4m",
            converter = LogSize.class,
            description = "Of the log of each server: the newest bytes, up to 32m (default: ${DEFAULT-VALUE}).")
    private long logBytes;

    /** As much as may be in memory of some servers at a time. */
    static final class LogSize implements ITypeConverter<Long> {
        private static final long BYTES_MAX = 32L << 20;

        @Override
        public Long convert(String text) {
            try {
                long bytes = SettingKind.SIZE.parse(text);
                if (bytes >= 0 && bytes <= BYTES_MAX) {
                    return bytes;
                }
            } catch (IllegalArgumentException e) {
                // Told below.
            }
            throw new TypeConversionException("'" + text + "' is not a size up to 32m; write for example 4m");
        }
    }

    @Override
    public Integer call() throws TatamiException {
        String time = TIME.format(Instant.ofEpochMilli(Clock.SYSTEM.wallMillis()));
        if (to != null && to.toString().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--to names no file");
        }
        Path path = to == null ? Path.of("tatami-dump-" + time + ".zip") : to;
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<String> missing;
        try (TatamiClient client = cluster.connect();
                DumpArchive archive = DumpArchive.begin(path);
                ProgressLine progress = ProgressLine.of(err)) {
            ClusterDump dump = new ClusterDump(
                    client.cluster(),
                    logBytes,
                    archive,
                    (servers, all) -> progress.show(servers + " of " + all + " servers", servers));
            missing = dump.run("The cluster " + client.clusterId() + " at " + time + ", asked by "
                    + client.user().user() + ".");
            archive.finish();
        }
        out.println(path);
        out.flush();
        missing.forEach(line -> err.println(Patience.ERROR_PREFIX + "missing: " + line));
        err.flush();
        return missing.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
