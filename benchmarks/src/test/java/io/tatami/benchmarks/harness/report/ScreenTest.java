package io.tatami.benchmarks.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.cli.option.ProgressLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Lines that stay, and the one that is written over. */
class ScreenTest {
    private final StandingClock clock = new StandingClock();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream terminal = new PrintStream(written, true, StandardCharsets.UTF_8);

    private Screen screen(boolean isTerminal) {
        Screen screen =
                new Screen(new ProgressLine(new PrintWriter(written, true, StandardCharsets.UTF_8), clock, isTerminal));
        clock.passSeconds(1);
        return screen;
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aLineThatStaysTakesThePlaceOfTheOneThatIsWrittenOver() {
        Screen screen = screen(true);
        screen.show("round 1 of 3");
        screen.print(terminal, "1,tatami,5");
        assertTrue(text().startsWith("\rround 1 of 3"), this::text);
        assertTrue(text().endsWith(" \r1,tatami,5" + System.lineSeparator()), this::text);
    }

    @Test
    void withoutATerminalThereAreOnlyTheLinesThatStay() {
        Screen screen = screen(false);
        screen.show("round 1 of 3");
        screen.print(terminal, "1,tatami,5");
        screen.erase();
        assertEquals("1,tatami,5" + System.lineSeparator(), text());
    }
}
