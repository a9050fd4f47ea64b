package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.server.cli.TatamiServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A command of {@code tatami}, run in this JVM. */
final class CommandRun {
    private CommandRun() {}

    /** What the command prints, on both of its outputs; it ends with that exit code. */
    static String run(int code, String... words) {
        StringWriter out = new StringWriter();
        CommandLine command =
                TatamiServer.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertEquals(code, command.execute(words), out::toString);
        return out.toString();
    }
}
