package io.tatami.server.cli;

import io.tatami.server.cli.admin.AdminCommand;
import io.tatami.server.cli.option.CommandRules;
import io.tatami.server.lab.command.LabCommand;
import io.tatami.server.node.Patience;
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
        return CommandRules.applyTo(commandLine);
    }
}
