package io.tatami.server.cli.option;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size of this process's terminal in characters.
 *
 * @param rows above 0
 * @param columns above 0
 */
public record Terminal(int rows, int columns) {
    /** Where the size is not known, as of old. */
    static final Terminal USUAL = new Terminal(24, 80);

    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,3}) ([1-9]\\d{0,3})\\s*");
    private static final long ANSWER_MILLIS = 1_000;

    /** Whether the standard output is one. */
    public static boolean isOutput() {
        return isAt(1);
    }

    /** @param descriptor 1 of the standard output, 2 of the error output */
    static boolean isAt(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** The size as it is now, asked of {@code stty}; 24 rows and 80 columns where that tells none. */
    public static Terminal now() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(ANSWER_MILLIS, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return USUAL;
            }
            return of(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            return USUAL;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return USUAL;
        }
    }

    /** @param answer of {@code stty size} */
    static Terminal of(String answer) {
        Matcher size = SIZE.matcher(answer);
        return size.matches() ? new Terminal(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2))) : USUAL;
    }
}
