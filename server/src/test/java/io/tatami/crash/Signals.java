package io.tatami.crash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Sends signals to processes, through the shell: not every system has a program of that name. */
public final class Signals {
    private Signals() {}

    /** @param name without SIG */
    public static void send(String name, long pid) throws IOException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                .redirectErrorStream(true)
                .start();
        String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (kill.waitFor() != 0) {
                throw new IOException("kill -" + name + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
