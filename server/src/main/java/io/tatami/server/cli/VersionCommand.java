package io.tatami.server.cli;

import io.tatami.server.cli.option.CommandRules;
import io.tatami.server.cli.option.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tatami version}. */
@Command(name = "version", description = "Prints the version of this program.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().println(CommandRules.version());
        return ExitCode.DONE;
    }
}
