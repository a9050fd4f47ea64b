package io.tatami.server.cli.option;

import java.io.PrintWriter;
import java.util.List;

/**
 * Lines that are shown again and again in the same place of a terminal, those of the last time overwritten. Used by one
 * thread.
 */
public final class RenewedScreen {
    private static final String TO_BEGIN = "\033[H";
    private static final String CLEAR_ALL = "\033[2J";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";

    private final PrintWriter out;
    private boolean isBegun;

    public RenewedScreen(PrintWriter out) {
        this.out = out;
    }

    /** @param lines without control characters; what does not fit the terminal is not shown */
    public void show(List<String> lines, Terminal terminal) {
        StringBuilder screen = new StringBuilder(TO_BEGIN);
        if (!isBegun) {
            screen.append(CLEAR_ALL);
            isBegun = true;
        }
        for (String line : lines.subList(0, Math.min(lines.size(), terminal.rows() - 1))) {
            screen.append(line, 0, line.offsetByCodePoints(0, shownPoints(line, terminal)))
                    .append(CLEAR_LINE)
                    .append('\n');
        }
        out.print(screen.append(CLEAR_BELOW));
        out.flush();
    }

    private static int shownPoints(String line, Terminal terminal) {
        return Math.min(line.codePointCount(0, line.length()), terminal.columns());
    }
}
