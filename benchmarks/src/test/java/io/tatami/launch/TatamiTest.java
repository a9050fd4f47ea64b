package io.tatami.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.cli.option.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The tree of all commands. */
final class TatamiTest {
    @Test
    void everyCommandIsInOneGroup() {
        List<String> grouped = CommandGroups.GROUPS.values().stream()
                .flatMap(List::stream)
                .sorted()
                .toList();
        assertEquals(
                new ArrayList<>(
                        new TreeSet<>(Tatami.commandLine().getSubcommands().keySet())),
                grouped);
    }

    @Test
    void everyCommandHelps() {
        assertTrue(helps(List.of(), Tatami.commandLine()) > 60);
    }

    private static int helps(List<String> words, CommandLine command) {
        List<String> asked = new ArrayList<>(words);
        asked.add("--help");
        Ended ended = Ended.of(asked.toArray(String[]::new));
        assertEquals(ExitCode.DONE, ended.code(), ended::toString);
        String name = String.join(" ", words).isEmpty() ? "tatami" : "tatami " + String.join(" ", words);
        assertTrue(ended.out().startsWith("Usage: " + name), () -> asked + ": " + ended);
        int count = 1;
        for (Map.Entry<String, CommandLine> below : command.getSubcommands().entrySet()) {
            List<String> longer = new ArrayList<>(words);
            longer.add(below.getKey());
            count += helps(longer, below.getValue());
        }
        return count;
    }

    @Test
    void theReleaseIsToldByTheOptionAsByTheCommand() {
        Ended command = Ended.of("version");
        assertTrue(command.out().startsWith("tatami "), command::toString);
        for (String option : List.of("--version", "-V")) {
            assertEquals(command, Ended.of(option));
            assertEquals(command, Ended.of("bench", option));
            assertEquals(command, Ended.of("quickstart", option));
        }
    }

    @Test
    void helpOfACommandBelowACommandIsThatOfTheOption() {
        assertEquals(
                Ended.of("admin", "block", "drain", "--help").out(),
                Ended.of("help", "admin", "block", "drain").out());
        Ended unknown = Ended.of("help", "admin", "blok");
        assertEquals(ExitCode.USAGE, unknown.code());
        assertTrue(unknown.err().contains("there is no command 'blok' of tatami admin"), unknown::toString);
    }

    @Test
    void withoutACommandItShowsWhichThereAre() {
        Ended alone = Ended.of();
        assertEquals(ExitCode.DONE, alone.code());
        assertTrue(alone.out().contains("Exit codes: 0 done, 1 failed, 2"), alone::toString);
        assertTrue(alone.out().contains("Shows what is wrong with a cluster"), alone::toString);
        assertEquals(alone.out(), Ended.of("help").out());
    }

    @Test
    void unknownCommandIsRefusedWithTheNearestOnes() {
        Ended ended = Ended.of("sart");
        assertEquals(ExitCode.USAGE, ended.code());
        assertTrue(ended.err().contains("there is no command 'sart'"), ended::toString);
        assertTrue(ended.err().contains("tatami start"), ended::toString);
    }

    @Test
    void shellOfHadoopGetsEveryWordAsItIs() {
        String[] words = {"fs", "-fs", "tatami://h:1", "-ls", "--help", "@file", "--", "-x", ""};
        CommandLine commandLine = Tatami.commandLine(words);
        CommandLine.ParseResult unused = commandLine.parseArgs(words);
        FsCommand fs =
                Objects.requireNonNull(commandLine.getSubcommands().get("fs")).getCommand();
        assertEquals(List.of(words).subList(1, words.length), fs.words());
    }

    @Test
    void knownFirstWordBuildsItsOwnCommandAlone() {
        assertEquals(
                Set.of("status"),
                Tatami.commandLine(new String[] {"status"}).getSubcommands().keySet());
    }

    @Test
    void optionWithoutAValueIsWrongUsage() {
        assertEquals(ExitCode.USAGE, Ended.of("locality", "--json", "--top").code());
        assertEquals(ExitCode.USAGE, Ended.of("locality", "--top", "-1", "/").code());
    }
}
