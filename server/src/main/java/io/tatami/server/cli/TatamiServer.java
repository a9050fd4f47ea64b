package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.server.cli.admin.AdminCommand;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.lab.command.LabCommand;
import io.tatami.server.node.Patience;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands that start, stop and look at servers; what {@code bin/tatami} runs for them. */
@Command(
        name = "tatami",
        description = "Starts, stops and inspects Tatami's servers.",
        subcommands = {
            StartCommand.class,
            StopCommand.class,
            StatusCommand.class,
            FsckCommand.class,
            FormatCommand.class,
            PrefetchCommand.class,
            ScrubCommand.class,
            AdminCommand.class,
            VersionCommand.class
        })
public final class TatamiServer {
    /** What every error line begins with. */
    public static final String ERROR_PREFIX = Patience.ERROR_PREFIX;

    private TatamiServer() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new TatamiServer());
        commandLine.addSubcommand(LabCommand.commandLine());
        addHelp(commandLine);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(TatamiServer::explain);
        commandLine.setParameterExceptionHandler((exception, words) -> {
            PrintWriter err = exception.getCommandLine().getErr();
            err.println(ERROR_PREFIX + exception.getMessage());
            err.println("Try '" + exception.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
            return ExitCode.USAGE;
        });
        return commandLine;
    }

    private static void addHelp(CommandLine commandLine) {
        commandLine.getCommandSpec().mixinStandardHelpOptions(true);
        commandLine.getCommandSpec().exitCodeOnInvalidInput(ExitCode.USAGE);
        commandLine.getSubcommands().values().forEach(TatamiServer::addHelp);
    }

    /** The world's failures are told in a line; bugs with their trace. */
    private static int explain(Exception exception, CommandLine commandLine, CommandLine.ParseResult words) {
        if (exception instanceof TatamiException failure) {
            commandLine.getErr().println(ERROR_PREFIX + failure.getMessage());
            return ExitCode.of(failure);
        }
        commandLine.getErr().println(ERROR_PREFIX + exception);
        exception.printStackTrace(commandLine.getErr());
        return ExitCode.FAILED;
    }
}
