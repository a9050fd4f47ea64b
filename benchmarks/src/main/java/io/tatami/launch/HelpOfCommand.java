package io.tatami.launch;

import io.tatami.server.cli.option.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami help [COMMAND…]}. */
@Command(name = "help", description = "Shows all commands, or how one is used: tatami help admin block drain.")
final class HelpOfCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "A command, and commands below it.")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        // The tree of this command line has no other command than this one.
        CommandLine at = Tatami.commandLine();
        for (String word : words) {
            CommandLine below = at.getSubcommands().get(word);
            if (below == null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there is no command '" + word + "' of "
                                + at.getCommandSpec().qualifiedName());
            }
            at = below;
        }
        at.usage(spec.commandLine().getOut());
        return ExitCode.DONE;
    }
}
