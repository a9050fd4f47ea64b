package io.tatami.server.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a long command writes on a terminal, and that it writes nothing elsewhere. */
final class ProgressLineTest {
    private final StringWriter err = new StringWriter();
    private long nowNanos;

    private final Clock clock = new Clock() {
        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return nowNanos;
        }
    };

    private ProgressLine line(boolean isShown) {
        return new ProgressLine(new PrintWriter(err, true), clock, isShown);
    }

    private void passSeconds(long seconds) {
        nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void rateIsThatSinceTheBeginning() {
        try (ProgressLine line = line(true)) {
            passSeconds(2);
            line.show("300 files", 300);
            assertTrue(err.toString().startsWith("\r300 files, 150 a second"), err::toString);
            line.show("301 files", 301);
            assertTrue(!err.toString().contains("301"), "it is not written each time");
        }
    }

    @Test
    void barTellsTheTimeLeftAtTheRateSinceTheBeginning() {
        try (ProgressLine line = line(true)) {
            passSeconds(2);
            line.showBytes(5 << 20, 1 << 20, 10 << 20);
            assertTrue(
                    err.toString().contains("[###############---------------]  50 %, 2.0 MiB/s, 3 s left"),
                    err::toString);
        }
    }

    @Test
    void lineIsGoneWhenTheCommandGoesOn() {
        ProgressLine line = line(true);
        passSeconds(1);
        line.show("x".repeat(500), 1);
        line.close();
        String last = err.toString().substring(err.toString().lastIndexOf('x') + 1);
        assertTrue(last.isBlank() && last.endsWith("\r"), err::toString);
        int written = err.toString().length();
        line.close();
        assertEquals(written, err.toString().length());
    }

    @Test
    void nothingIsWrittenWhereThereIsNoTerminal() {
        try (ProgressLine line = line(false)) {
            passSeconds(1);
            line.show("300 files", 300);
        }
        assertEquals("", err.toString());
    }
}
