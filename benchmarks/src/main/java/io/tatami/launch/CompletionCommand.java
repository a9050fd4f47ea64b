package io.tatami.launch;

import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tatami completion}. The build writes what it prints into the distribution. */
@Command(
        name = "completion",
        description = "Prints a script by which bash and zsh complete commands and options. For this shell alone:"
                + " source <(tatami completion)")
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash("tatami", Tatami.commandLine()));
        out.flush();
        return ExitCode.DONE;
    }
}
