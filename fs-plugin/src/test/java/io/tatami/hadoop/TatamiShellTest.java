package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** What {@code tatami fs} does beside Hadoop's shell. */
class TatamiShellTest {
    private record Ended(int code, String err) {}

    private static Ended run(String... words) throws Exception {
        Configuration configuration = TatamiCluster.shared().configuration();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            return new Ended(TatamiShell.run(configuration, List.of(words)), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void snapshotsAreRefusedInOneLine() throws Exception {
        for (List<String> command : List.of(
                List.of("-createSnapshot", "/tmp"),
                List.of("-createSnapshot", "/tmp", "s1"),
                List.of("-deleteSnapshot", "/tmp", "s1"),
                List.of("-renameSnapshot", "/tmp", "s1", "s2"))) {
            Ended ended = run(command.toArray(String[]::new));
            assertEquals(1, ended.code(), ended::toString);
            String name = command.get(0).substring(1);
            assertEquals(
                    name + ": `/tmp': Tatami does not support snapshots",
                    ended.err().trim());
        }
    }

    @Test
    void otherCommandsAndOtherFileSystemsAreHadoopsOwnMatter() throws Exception {
        assertEquals(0, run("-test", "-d", "/").code());
        assertTrue(run("-createSnapshot").err().contains("Usage"));
        assertTrue(run("-createSnapshot", "file:///").err().contains("LocalFileSystem"));
    }

    @Test
    void clusterIsNamedByEitherOptionAndTheRestIsTheCommand() throws Exception {
        for (String option : List.of("-fs", "--uri")) {
            List<String> words = new ArrayList<>(List.of(option, "tatami://host:1", "-ls", "-fs"));
            assertEquals("tatami://host:1", TatamiShell.uri(words));
            assertEquals(List.of("-ls", "-fs"), words);
        }
    }

    @Test
    void optionWithoutAUriIsRefused() {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> TatamiShell.uri(new ArrayList<>(List.of("-fs"))));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }
}
