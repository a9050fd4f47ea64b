package io.tatami.server.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which word names the cluster, of commands with other words and without. */
final class ClusterWordsTest {
    /** Takes no word beside the cluster. */
    @Command(name = "status")
    static final class Alone {
        @Mixin
        final ClusterArgument cluster = new ClusterArgument();

        @Option(names = "--replicas")
        int replicas;

        @Option(names = "--json")
        boolean json;
    }

    /** Takes a server. */
    @Command(name = "drain")
    static final class OfServer {
        @Mixin
        final ClusterArgument cluster = new ClusterArgument();

        @Parameters(index = "0")
        String server = "";
    }

    /** Takes paths. */
    @Command(name = "du")
    static final class OfPaths implements OnPaths {
        @Mixin
        final ClusterArgument cluster = new ClusterArgument();

        @Parameters(index = "0..*")
        List<String> paths = List.of();
    }

    private static List<String> words(Object command, String... given) {
        CommandSpec spec = new CommandLine(command).getCommandSpec();
        List<String> reversed = new ArrayList<>(List.of(given));
        Collections.reverse(reversed);
        Stack<String> stack = new Stack<>();
        stack.addAll(reversed);
        spec.preprocessor().preprocess(stack, spec, null, Map.of());
        List<String> left = new ArrayList<>(stack);
        Collections.reverse(left);
        return left;
    }

    @Test
    void firstWordOfACommandWithoutOthersIsTheClusterAlsoWithoutAScheme() {
        assertEquals(List.of("--uri=h:1", "--json"), words(new Alone(), "h:1", "--json"));
        assertEquals(List.of("--replicas", "3", "--uri=h:1"), words(new Alone(), "--replicas", "3", "h:1"));
        assertEquals(List.of("--replicas", "3"), words(new Alone(), "--replicas", "3"));
        assertEquals(List.of("--uri=http://h:1"), words(new Alone(), "http://h:1"));
    }

    @Test
    void wordWithASchemeIsTheClusterWhereverItStands() {
        assertEquals(List.of("--uri=tatami://h:1", "3"), words(new OfServer(), "tatami://h:1", "3"));
        assertEquals(List.of("h:2", "--uri=tatami://h:1"), words(new OfServer(), "h:2", "tatami://h:1/"));
        assertEquals(List.of("h:2"), words(new OfServer(), "h:2"));
    }

    @Test
    void firstOfMoreWordsThanACommandTakesIsTheClusterAlsoWithoutAScheme() {
        assertEquals(List.of("--uri=h:1", "h:2"), words(new OfServer(), "h:1", "h:2"));
        assertEquals(List.of("--uri", "h:1", "h:2", "h:3"), words(new OfServer(), "--uri", "h:1", "h:2", "h:3"));
    }

    @Test
    void firstWordThatIsNoPathIsTheClusterOfACommandOnPaths() {
        assertEquals(List.of("--uri=h:1", "/a"), words(new OfPaths(), "h:1", "/a"));
        assertEquals(List.of("/a", "b"), words(new OfPaths(), "/a", "b"));
    }

    @Test
    void valueOfAnOptionIsNoWord() {
        assertEquals(List.of("--uri", "tatami://h:1", "3"), words(new OfServer(), "--uri", "tatami://h:1", "3"));
    }

    @Test
    void pathOfTheUriIsOneOfThePaths() {
        assertEquals(List.of("--uri=tatami://h:1", "/a b"), words(new OfPaths(), "tatami://h:1/a b"));
        assertEquals(
                List.of("--uri=tatami://h:1", "/a", "/b", "/c"),
                words(new OfPaths(), "tatami://h:1/a", "/b", "tatami://h:1/c"));
        assertEquals(List.of("/odd://name"), words(new OfPaths(), "/odd://name"));
    }

    @Test
    void slashBehindTheClusterIsTheRootOnlyWhereThereIsNoOtherPath() {
        assertEquals(List.of("--uri=tatami://h:1", "/"), words(new OfPaths(), "tatami://h:1/"));
        assertEquals(List.of("--uri=tatami://h:1", "/a"), words(new OfPaths(), "tatami://h:1/", "/a"));
    }

    @Test
    void twoClustersAreRefused() {
        ParameterException refused =
                assertThrows(ParameterException.class, () -> words(new OfPaths(), "tatami://h:1/a", "tatami://h:2/a"));
        assertTrue(String.valueOf(refused.getMessage()).contains("two clusters are named"), refused.toString());
    }

    @Test
    void wordsBehindTwoDashesAreLeftAlone() {
        assertEquals(List.of("--", "tatami://h:1/a"), words(new OfPaths(), "--", "tatami://h:1/a"));
    }
}
