package io.tatami.server.cli.file;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.Json;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.cli.option.ProgressLine;
import io.tatami.server.node.Patience;
import io.tatami.server.status.HumanBytes;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami du [URI] PATH…}. */
@Command(
        name = "du",
        description =
                "Shows how many bytes, files and directories lie at and below paths. The metadata servers count; the"
                        + " progress is on the error output where that is a terminal. Ctrl-C ends it at any time. Exit code 1"
                        + " where a path cannot be counted; the others are.")
public final class DuCommand implements Callable<Integer>, OnPaths {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0..*", arity = "1..*", paramLabel = "PATH", description = "Files or directories.")
    private List<String> paths;

    @Option(names = "--bytes", description = "Sizes in bytes.")
    private boolean bytes;

    @Option(names = "--json", description = "One JSON array with an object for each path; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        List<Map<String, Object>> counted = new ArrayList<>();
        boolean isDone = true;
        if (!json) {
            out.printf("%16s %16s %12s %12s  %s%n", "length", "with copies", "files", "directories", "path");
        }
        try (TatamiClient client = cluster.connect()) {
            for (String path : paths) {
                try {
                    ContentTotals totals = count(client, path);
                    counted.add(fields(path, totals));
                    print(path, totals, out);
                } catch (TatamiException e) {
                    isDone = false;
                    spec.commandLine().getErr().println(Patience.ERROR_PREFIX + path + ": " + e.getMessage());
                }
            }
        }
        if (json) {
            out.println(Json.text(counted));
        }
        out.flush();
        return isDone ? ExitCode.DONE : ExitCode.FAILED;
    }

    private ContentTotals count(TatamiClient client, String path) throws TatamiException {
        try (ProgressLine progress = ProgressLine.of(spec.commandLine().getErr())) {
            return client.following(
                    TatamiPath.of(path),
                    at -> client.contentTotals(
                            at,
                            soFar -> progress.show(
                                    path + ": " + soFar.files() + " files, " + soFar.directories() + " directories, "
                                            + HumanBytes.ofBytes(soFar.lengthBytes()),
                                    soFar.files() + soFar.directories())));
        }
    }

    private void print(String path, ContentTotals totals, PrintWriter out) {
        if (!json) {
            out.printf(
                    "%16s %16s %12d %12d  %s%n",
                    size(totals.lengthBytes()), size(totals.spaceBytes()), totals.files(), totals.directories(), path);
            out.flush();
        }
    }

    private String size(long lengthBytes) {
        return bytes ? Long.toString(lengthBytes) : HumanBytes.ofBytes(lengthBytes);
    }

    private static Map<String, Object> fields(String path, ContentTotals totals) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("path", path);
        fields.put("length_bytes", totals.lengthBytes());
        fields.put("space_bytes", totals.spaceBytes());
        fields.put("files", totals.files());
        fields.put("directories", totals.directories());
        return fields;
    }
}
