package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.console.ServedConsole;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tatami console}. */
class ConsoleCommandTest {
    @Test
    void aSuperuserIsPrintedALinkToTheConsoleOfTheLeader(@TempDir Path directory) throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h")) {
            String told =
                    CommandRun.run(ExitCode.DONE, "console", console.node().uri());
            String link = console.url("/#invitation=").replace("localhost", "127.0.0.1");
            assertTrue(told.startsWith(link), told);
            assertTrue(told.contains("ssh -L"), told);
        }
    }
}
