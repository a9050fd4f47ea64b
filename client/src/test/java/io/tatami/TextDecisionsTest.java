package io.tatami;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is decided by the text of a message: codes, subjects and details are for that. In all modules' main code. */
final class TextDecisionsTest {
    /** What others tell by text alone: the operating system and RocksDB, and releases before there were details. */
    private static final Set<String> ALLOWED = Set.of("SystemErrorText.java", "OlderRefusal.java");

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(URI name, String text) {
            super(name, Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("mvnw"))) {
            at = at.getParent();
        }
        return at;
    }

    private static List<JavaFileObject> mainSources() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String module : List.of("client", "server", "fs-plugin", "benchmarks")) {
            try (Stream<Path> files = Files.walk(root().resolve(module))) {
                for (Path file : files.filter(TextDecisionsTest::isMainSource).toList()) {
                    sources.add(new Source(file.toUri(), Files.readString(file)));
                }
            }
        }
        return sources;
    }

    private static boolean isMainSource(Path file) {
        String path = file.toString();
        return path.endsWith(".java") && path.contains("/src/main/java/");
    }

    @Test
    void nothingIsDecidedByAMessage() throws IOException {
        List<JavaFileObject> sources = mainSources();
        assertTrue(sources.size() > 400, "only " + sources.size() + " sources");
        Set<String> allowed = new TreeSet<>();
        List<String> others = new ArrayList<>();
        for (String decision : TextDecisions.in(sources)) {
            ALLOWED.stream()
                    .filter(file -> decision.contains("/" + file + ":"))
                    .findAny()
                    .ifPresentOrElse(allowed::add, () -> others.add(decision));
        }
        assertEquals(List.of(), others, "give the failure a Detail or a RefusalSubject, and decide by that");
        assertEquals(ALLOWED, allowed, "an exception that is none any more");
    }

    /** Where paths are known, a denial has all that its message needs. */
    @Test
    void clientsHaveTheMessagesOfDenialsFromOnePlace() throws IOException {
        Set<String> makers = new TreeSet<>();
        for (JavaFileObject source : mainSources()) {
            boolean isOfClients = !source.getName().contains("/server/src/");
            if (isOfClients && source.getCharContent(true).toString().contains("\"Permission denied")) {
                makers.add(source.getName().substring(source.getName().lastIndexOf('/') + 1));
            }
        }
        assertEquals(Set.of("Denial.java"), makers, "make the message by a Denial");
    }

    private static List<String> decisionsIn(String statements) throws IOException {
        String text =
                "class Planted { void planted(TatamiException e, String message, String path) {" + statements + "} }";
        return TextDecisions.in(List.of(new Source(URI.create("string:///Planted.java"), text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "if (e.getMessage().contains(path)) {}",
                "if (String.valueOf(e.getMessage()).startsWith(\"/\")) {}",
                "String[] parts = header.getDetail().split(\" \", -1);",
                "long offset = Long.parseLong(e.getMessage());",
                "boolean is = \"source\".equals(e.getMessage());",
                "String text = e.getMessage(); if (text.endsWith(path)) {}",
                "String text; text = \"no: \" + e.getMessage(); if (text.indexOf(path) > 0) {}",
                "var text = e.getMessage(); run(() -> text.contains(path));",
                "if (message.contains(path)) {}",
                "switch (e.getMessage()) { case \"source\": break; }",
                "int is = switch (message) { case \"source\" -> 1; default -> 2; };",
                "boolean is = PATTERN.matcher(e.getMessage()).matches();",
                "boolean is = failures.stream().map(Throwable::getMessage).anyMatch(path::equals) || names.contains(e.getMessage());"
            })
    void aPlantedDecisionIsFound(String statements) throws IOException {
        assertTrue(!decisionsIn(statements).isEmpty(), statements);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "if (path.contains(\"x\")) {}",
                "if (e.code().equals(ErrorCode.NOT_FOUND)) { throw new TatamiException(e.code(), e.getMessage()); }",
                "String text = path + \": \" + e.getMessage(); log(text);",
                "if (e.subject().equals(subject)) { log(e.getMessage()); }"
            })
    void whatIsNoDecisionByAMessageIsNot(String statements) throws IOException {
        assertEquals(List.of(), decisionsIn(statements));
    }
}
