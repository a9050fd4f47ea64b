package io.tatami.launch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/** The list of all commands, grouped by what one wants of them, with the first sentence of each. */
final class CommandGroups {
    private static final int NAME_WIDTH = 18;

    /** Headings, and the commands below them. */
    static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("A first look", List.of("quickstart"));
        GROUPS.put("Servers", List.of("start", "stop", "format"));
        GROUPS.put("A cluster, and whether all is well", List.of("status", "top", "fsck", "scrub", "admin", "console"));
        GROUPS.put("Files", List.of("fs", "info", "du", "open-files", "recover-lease", "prefetch", "locality"));
        GROUPS.put("Break and measure", List.of("lab", "bench"));
        GROUPS.put("This program", List.of("help", "completion", "version"));
    }

    private CommandGroups() {}

    static String text(Help help) {
        StringBuilder text = new StringBuilder();
        GROUPS.forEach((heading, names) -> {
            text.append(String.format("%n%s:%n", heading));
            TextTable table = TextTable.forColumns(
                    help.colorScheme(),
                    new Column(NAME_WIDTH, 2, Overflow.SPAN),
                    new Column(help.commandSpec().usageMessage().width() - NAME_WIDTH, 1, Overflow.WRAP));
            for (String name : names) {
                Help command = help.subcommands().get(name);
                if (command != null) {
                    table.addRowValues(name, firstSentence(command));
                }
            }
            text.append(table);
        });
        return text.toString();
    }

    private static String firstSentence(Help command) {
        String all = String.join(" ", command.commandSpec().usageMessage().description());
        int end = all.indexOf(". ");
        return end < 0 ? all : all.substring(0, end + 1);
    }
}
