package io.tatami.server.cli.file;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.status.PathText;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami info [URI] PATH}. */
@Command(
        name = "info",
        description = "Shows what a path is made of: its entry, its blocks with their servers and staged copies, its"
                + " checksum, its lease and the handle of its directory. The health of each copy and the holder of the"
                + " lease are told to the superuser.")
public final class InfoCommand implements Callable<Integer>, OnPaths {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0", paramLabel = "PATH", description = "A file, directory or symlink.")
    private String path;

    @Option(names = "--json", description = "One JSON object instead of text; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        try (TatamiClient client = cluster.connect()) {
            PathText text = PathText.of(client, TatamiPath.of(path));
            if (json) {
                spec.commandLine().getOut().println(text.json());
                spec.commandLine().getOut().flush();
            } else {
                text.print(spec.commandLine().getOut());
            }
        }
        return ExitCode.DONE;
    }
}
