package io.tatami.block.device;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file as a block device, for the length of a test. The test is skipped, with the reason, where that needs more
 * rights.
 */
public final class LoopDevice implements AutoCloseable {
    private final Path path;

    private LoopDevice(Path path) {
        this.path = path;
    }

    public static LoopDevice attach(Path file) {
        if (!"root".equals(System.getProperty("user.name"))) {
            abort("loop devices need root");
        }
        try {
            return new LoopDevice(Path.of(losetup("--find", "--show", "--direct-io=on", file.toString())));
        } catch (IOException e) {
            return abort("no loop device: " + e.getMessage());
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        losetup("--detach", path.toString());
    }

    private static String losetup(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("losetup"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(output);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
