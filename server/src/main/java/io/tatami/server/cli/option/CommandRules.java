package io.tatami.server.cli.option;

import io.tatami.base.TatamiException;
import io.tatami.protocol.Release;
import io.tatami.server.node.Patience;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What holds for every command: {@code --help} and {@code --version}, the exit codes, and how refusals and failures are
 * told.
 */
public final class CommandRules {
    private CommandRules() {}

    /** @param commandLine with all its subcommands */
    public static CommandLine applyTo(CommandLine commandLine) {
        addOptions(commandLine);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        // A path may begin with an @.
        commandLine.setExpandAtFiles(false);
        commandLine.setExecutionExceptionHandler(CommandRules::explain);
        commandLine.setParameterExceptionHandler((exception, words) -> refuse(exception));
        return commandLine;
    }

    /** The release of this program, as {@code --version} of every command prints it. */
    public static String version() {
        return "tatami " + Release.name();
    }

    private static void addOptions(CommandLine commandLine) {
        CommandSpec spec = commandLine.getCommandSpec();
        if (!spec.mixinStandardHelpOptions()) {
            spec.mixinStandardHelpOptions(true);
        }
        spec.version(version());
        spec.exitCodeOnInvalidInput(ExitCode.USAGE);
        commandLine.getSubcommands().values().forEach(CommandRules::addOptions);
    }

    private static int refuse(ParameterException exception) {
        CommandLine refused = exception.getCommandLine();
        PrintWriter err = refused.getErr();
        String name = refused.getCommandSpec().qualifiedName();
        if (exception instanceof UnmatchedArgumentException unmatched && isNoCommand(unmatched)) {
            String word = unmatched.getUnmatched().get(0);
            err.println(Patience.ERROR_PREFIX + "there is no command '" + word + "' of " + name);
            UnmatchedArgumentException.printSuggestions(exception, err);
        } else {
            err.println(Patience.ERROR_PREFIX + exception.getMessage());
        }
        err.println("Try '" + name + " --help'.");
        err.flush();
        return ExitCode.USAGE;
    }

    /** Whether a word stands where a command's name belongs. */
    private static boolean isNoCommand(UnmatchedArgumentException exception) {
        return !exception.getCommandLine().getSubcommands().isEmpty()
                && !exception.isUnknownOption()
                && !exception.getUnmatched().isEmpty();
    }

    /** The world's failures are told in a line; bugs with their trace. */
    private static int explain(Exception exception, CommandLine commandLine, CommandLine.ParseResult words) {
        PrintWriter err = commandLine.getErr();
        if (exception instanceof TatamiException failure) {
            err.println(Patience.ERROR_PREFIX + failure.getMessage());
            return ExitCode.of(failure);
        }
        err.println(Patience.ERROR_PREFIX + exception);
        exception.printStackTrace(err);
        return ExitCode.FAILED;
    }
}
