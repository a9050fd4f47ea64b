package io.tatami.server.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written to a terminal again and again, and its size. */
final class RenewedScreenTest {
    @Test
    void linesOverwriteThoseBeforeAndAreCutToTheTerminal() {
        StringWriter out = new StringWriter();
        RenewedScreen screen = new RenewedScreen(new PrintWriter(out));
        Terminal small = new Terminal(3, 4);
        screen.show(List.of("abcdef", "x", "not shown"), small);
        assertEquals("\033[H\033[2Jabcd\033[K\nx\033[K\n\033[J", out.toString());
        out.getBuffer().setLength(0);
        screen.show(List.of("\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00"), small);
        assertEquals("\033[H\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\033[K\n\033[J", out.toString());
    }

    @Test
    void sizesAreReadAndWhatIsNoneIsTheUsualOne() {
        assertEquals(new Terminal(50, 132), Terminal.of("50 132\n"));
        for (String none : List.of("", "0 0\n", "50\n", "a b", "99999 1")) {
            assertEquals(Terminal.USUAL, Terminal.of(none), none);
        }
    }
}
