package io.tatami.server.cli.option;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.server.node.NamedCluster;
import io.tatami.server.node.Patience;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The cluster that a command is about. It may be named by a word, too: {@link ClusterWords}. */
@Command(preprocessor = ClusterWords.class)
public class ClusterArgument {
    @Option(
            names = ClusterWords.OPTION,
            paramLabel = "URI",
            description = "The cluster, tatami://host:port of any metadata server; also as a word, without --uri"
                    + " (default: TATAMI_URI of the environment, or fs.defaultFS in the configuration).")
    private @Nullable String uri;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /**
     * As {@link io.tatami.server.node.ClusterAddress#connect}.
     *
     * @throws TatamiException also INVALID_ARGUMENT where no cluster is named
     */
    public final TatamiClient connect() throws TatamiException {
        return NamedCluster.ofProcess()
                .address(uri)
                .connect(Patience.of(command.commandLine().getErr()));
    }
}
