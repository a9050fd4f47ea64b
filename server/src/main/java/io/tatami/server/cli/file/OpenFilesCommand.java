package io.tatami.server.cli.file;

import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.Json;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.cli.option.PositiveNumber;
import io.tatami.server.cli.option.ProgressLine;
import io.tatami.server.status.HumanBytes;
import io.tatami.server.status.LeaseText;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami open-files [URI] [PATH]}. */
@Command(
        name = "open-files",
        description =
                "Lists the files at and below a path that are open for writing: who holds the lease, and since when"
                        + " nothing was committed. 'recover-lease' takes a lease away. For the superuser only.")
public final class OpenFilesCommand implements Callable<Integer>, OnPaths {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATH",
            defaultValue = "/",
            description = "The path to look below (default: ${DEFAULT-VALUE}).")
    private String path;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            converter = PositiveNumber.class,
            description = "How many are listed; the others are counted (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Option(names = "--json", description = "One JSON object a line for each file; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        if (!json) {
            out.printf("%-12s %-14s %-12s %10s  %s%n", "session", "held by", "unchanged", "length", "path");
        }
        try (TatamiClient client = cluster.connect();
                ProgressLine progress = ProgressLine.of(spec.commandLine().getErr())) {
            Listed listed = new Listed(out, progress);
            FsckRequest open = FsckRequest.newBuilder().setListOpen(true).build();
            FsckReport unused = client.cluster().fsck(TatamiPath.of(path), open, listed);
            if (listed.count > limit && !json) {
                out.printf("%d more are open: --limit lists them%n", listed.count - limit);
            }
        }
        out.flush();
        return ExitCode.DONE;
    }

    /** Prints files as they are found; those of many blocks are told in several parts. */
    private final class Listed implements FsckReport.Listener {
        private final PrintWriter out;
        private final ProgressLine progress;
        private long count;
        private long last;

        Listed(PrintWriter out, ProgressLine progress) {
            this.out = out;
            this.progress = progress;
        }

        @Override
        public void found(FsckReport.Problem problem) {}

        @Override
        public void listed(TatamiPath at, CheckedFile file) {
            if (file.getFileId() == last) {
                return;
            }
            last = file.getFileId();
            count++;
            if (count > limit) {
                return;
            }
            progress.close();
            if (json) {
                out.println(Json.text(fields(at, file)));
            } else {
                out.printf(
                        "%-12s %-14s %-12s %10s  %s%n",
                        new SessionId(file.getLease().getSession()),
                        LeaseText.holder(file.getLease()),
                        LeaseText.age(file.getLease()),
                        HumanBytes.ofBytes(file.getLength()),
                        at);
            }
            out.flush();
        }

        @Override
        public void checked(FsckReport soFar) {
            progress.show(
                    "looked at " + soFar.files() + " files in " + soFar.directories() + " directories",
                    soFar.files() + soFar.directories());
        }
    }

    private static Map<String, Object> fields(TatamiPath path, CheckedFile file) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("path", path.toString());
        fields.put("length_bytes", file.getLength());
        fields.putAll(LeaseText.json(file.getLease()));
        return fields;
    }
}
