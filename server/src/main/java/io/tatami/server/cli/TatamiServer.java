package io.tatami.server.cli;

import io.tatami.server.cli.admin.AdminCommand;
import io.tatami.server.cli.file.DuCommand;
import io.tatami.server.cli.file.InfoCommand;
import io.tatami.server.cli.file.OpenFilesCommand;
import io.tatami.server.cli.file.RecoverLeaseCommand;
import io.tatami.server.cli.option.CommandRules;
import io.tatami.server.lab.command.LabCommand;
import io.tatami.server.node.Patience;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The commands that start, stop and look at servers. They are part of the launcher's tree; alone, in a process of this
 * class, they are what a server in the background runs.
 */
@Command(name = "tatami", description = "Starts, stops and inspects Tatami's servers.")
public final class TatamiServer {
    /** What every error line begins with. */
    public static final String ERROR_PREFIX = Patience.ERROR_PREFIX;

    private TatamiServer() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** All of them, as a tree of their own. */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new TatamiServer());
        commands().forEach((name, command) -> commandLine.addSubcommand(name, command.get()));
        return CommandRules.applyTo(commandLine);
    }

    /** The commands by their names. Each is built when it is asked for, because that takes a terminal's time. */
    public static Map<String, Supplier<CommandLine>> commands() {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("start", () -> new CommandLine(new StartCommand()));
        commands.put("stop", () -> new CommandLine(new StopCommand()));
        commands.put("status", () -> new CommandLine(new StatusCommand()));
        commands.put("top", () -> new CommandLine(new TopCommand()));
        commands.put("fsck", () -> new CommandLine(new FsckCommand()));
        commands.put("info", () -> new CommandLine(new InfoCommand()));
        commands.put("du", () -> new CommandLine(new DuCommand()));
        commands.put("open-files", () -> new CommandLine(new OpenFilesCommand()));
        commands.put("recover-lease", () -> new CommandLine(new RecoverLeaseCommand()));
        commands.put("format", () -> new CommandLine(new FormatCommand()));
        commands.put("prefetch", () -> new CommandLine(new PrefetchCommand()));
        commands.put("scrub", () -> new CommandLine(new ScrubCommand()));
        commands.put("admin", () -> new CommandLine(new AdminCommand()));
        commands.put("console", () -> new CommandLine(new ConsoleCommand()));
        commands.put("lab", LabCommand::commandLine);
        commands.put("version", () -> new CommandLine(new VersionCommand()));
        return commands;
    }
}
