package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.StandaloneNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import picocli.CommandLine;

/** A command of {@code tatami}, run in this JVM. */
final class CommandRun {
    private static final Duration BALANCE_KNOWN = Duration.ofMinutes(4);

    private CommandRun() {}

    /** What the command prints, on both of its outputs; it ends with that exit code. */
    static String run(int code, String... words) {
        StringWriter out = new StringWriter();
        CommandLine command =
                TatamiServer.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertEquals(code, command.execute(words), out::toString);
        return out.toString();
    }

    /** No copies are moved for balance from now on; returns once the leaders know. */
    static void switchBalanceOff(StandaloneNode node) throws Exception {
        run(ExitCode.DONE, "admin", "block", "balance", node.uri(), "off");
        Eventually.await(
                BALANCE_KNOWN,
                () -> run(ExitCode.DONE, "admin", "block", "status", node.uri()).contains("switched it off"));
    }
}
