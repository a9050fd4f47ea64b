package io.tatami.server.lab.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code tatami lab …}. */
@Command(
        name = "lab",
        description = "A cluster of several nodes on this machine, whose servers, links and disks can be broken.",
        subcommands = {
            LabUpCommand.class,
            LabStatusCommand.class,
            ServerCommands.Kill.class,
            ServerCommands.Start.class,
            ServerCommands.Pause.class,
            ServerCommands.Resume.class,
            LinkCommands.Cut.class,
            LinkCommands.Heal.class,
            LinkCommands.Slow.class,
            ServerCommands.Fail.class,
            ServerCommands.Wipe.class,
            LabDownCommand.class
        })
public final class LabCommand {
    private LabCommand() {}

    /** To be added to a command line. */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new LabCommand());
        // What follows a node's name is another program's command line.
        commandLine.addSubcommand(new CommandLine(new LabExecCommand()).setStopAtPositional(true));
        return commandLine;
    }
}
