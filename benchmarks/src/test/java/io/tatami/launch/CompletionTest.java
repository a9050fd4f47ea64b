package io.tatami.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bash completes, by the script that goes into the distribution. */
final class CompletionTest {
    /** Does what bash does when TAB is pressed behind the last word: it asks the function that the script registers. */
    private static final String PRESS_TAB = """
            source "$1"
            shift
            [[ $(complete -p tatami) =~ -F\\ ([^ ]+) ]] || exit 9
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            COMP_LINE="$*"
            COMP_POINT=${#COMP_LINE}
            "${BASH_REMATCH[1]}" tatami "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @TempDir
    private Path directory = Path.of("");

    private Path script = Path.of("");

    @BeforeEach
    void writeScript() throws IOException {
        script = Files.writeString(
                directory.resolve("tatami"), Ended.of("completion").out());
    }

    private List<String> completed(String... words) throws Exception {
        ProcessBuilder bash =
                new ProcessBuilder("bash", "--norc", "-c", PRESS_TAB, "bash", script.toString(), "tatami");
        bash.command().addAll(List.of(words));
        Process process = bash.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.lines()
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .sorted()
                .toList();
    }

    @Test
    void commandsAreCompleted() throws Exception {
        assertEquals(List.of("start", "status", "stop"), completed("st"));
        assertTrue(completed("").contains("quickstart"));
    }

    @Test
    void commandsBelowCommandsAreCompleted() throws Exception {
        assertEquals(List.of("drain"), completed("admin", "block", "dr"));
        assertEquals(List.of("metadata"), completed("start", "me"));
    }

    @Test
    void optionsAreCompleted() throws Exception {
        assertEquals(List.of("--json"), completed("status", "--js"));
        assertEquals(List.of("--threshold"), completed("admin", "block", "balance", "--thr"));
    }
}
