package io.tatami.server.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@code tatami lab up} in a process of its own that is killed while it is at work, and what {@code down} makes of
 * it.
 */
final class KilledUp {
    private static final long POLL_MILLIS = 20;

    private KilledUp() {}

    /** @param awaited the beginning of what must be there before the kill, as {@link Lab#leftovers} tells it */
    static void assertGoneAfterDown(Path directory, String awaited, String... options) throws Exception {
        List<String> command = new ArrayList<>(TestJava.command(TatamiServer.class));
        command.addAll(List.of("lab", "up", "--dir", directory.toString(), "--nodes", "2", "--capacity", "512m"));
        command.addAll(List.of(options));
        Path output = directory.resolveSibling("killed-up.out");
        Process up = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            while (Lab.leftovers(directory).stream().noneMatch(left -> left.startsWith(awaited))) {
                assertFalse(up.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS), () -> text(output));
            }
        } finally {
            up.destroyForcibly().waitFor();
        }
        assertTrue(Files.exists(directory.resolve("lab.properties")), "what it makes is noted before");
        Lab.remove(directory);
        assertEquals(List.of(), Lab.leftovers(directory));
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
