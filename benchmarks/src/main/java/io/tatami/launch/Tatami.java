package io.tatami.launch;

import io.tatami.benchmarks.TatamiBenchmarks;
import io.tatami.benchmarks.harness.host.HostNames;
import io.tatami.benchmarks.quickstart.Quickstart;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.CommandRules;
import io.tatami.server.cli.option.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Spec;

/** {@code tatami}: the root of all commands. Alone it shows which there are. */
@Command(
        name = "tatami",
        description = "Tatami, a distributed file system for Hadoop.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "'tatami COMMAND --help' tells more of each. Exit codes: 0 done, 1 failed, 2 wrong usage or surroundings,"
                    + " 3 a server ended by itself because no group is served there any more."
        })
public final class Tatami implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private Tatami() {}

    public static void main(String[] words) {
        HostNames.forgetAtExit();
        int code = commandLine(words).execute(words);
        // The disk is full, or the reader of a pipe has left: the output is lost.
        boolean isLost = System.out.checkError();
        System.exit(code == ExitCode.DONE && isLost ? ExitCode.FAILED : code);
    }

    /** With all commands. */
    static CommandLine commandLine() {
        return commandLine(commands());
    }

    /** With the command of the first word alone, if that is one: all others would be built for nothing. */
    static CommandLine commandLine(String[] words) {
        Map<String, Supplier<CommandLine>> commands = commands();
        if (words.length > 0 && commands.containsKey(words[0])) {
            commands.keySet().retainAll(Set.of(words[0]));
        }
        return commandLine(commands);
    }

    private static CommandLine commandLine(Map<String, Supplier<CommandLine>> commands) {
        CommandLine root = new CommandLine(new Tatami());
        commands.forEach((name, command) -> root.addSubcommand(name, command.get()));
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::text);
        return CommandRules.applyTo(root);
    }

    private static Map<String, Supplier<CommandLine>> commands() {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>(TatamiServer.commands());
        commands.put("fs", () -> new CommandLine(new FsCommand()));
        commands.put("locality", () -> new CommandLine(new LocalityCommand()));
        commands.put("quickstart", () -> new CommandLine(new Quickstart()));
        commands.put("bench", () -> new CommandLine(new TatamiBenchmarks()));
        commands.put("completion", () -> new CommandLine(new CompletionCommand()));
        commands.put("help", () -> new CommandLine(new HelpOfCommand()));
        return commands;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return ExitCode.DONE;
    }
}
