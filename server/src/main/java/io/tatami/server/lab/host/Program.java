package io.tatami.server.lab.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of the system that a lab or a benchmark needs, such as {@code mount}. */
public final class Program {
    private static final long LIMIT_SECONDS = 300;

    private Program() {}

    /** What {@code command} printed, errors too, once it has ended; fails with that where the program does. */
    public static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("'" + String.join(" ", command) + "' did not end");
        }
        if (process.exitValue() != 0) {
            throw new IOException("'" + String.join(" ", command) + "' failed: " + output);
        }
        return output;
    }

    /** Whether a program can be run by its name alone. */
    public static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(":", -1))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    /**
     * Makes a program available, from Debian's package where it is not there, which needs root; false where that fails.
     *
     * @param question an argument to which the program answers and does nothing, such as {@code --version}
     */
    public static boolean isAvailable(String program, String question, String debianPackage)
            throws InterruptedException {
        return succeeds(List.of(program, question))
                || (succeeds(List.of("apt-get", "install", "-y", "-q", debianPackage))
                        && succeeds(List.of(program, question)));
    }

    private static boolean succeeds(List<String> command) throws InterruptedException {
        try {
            run(command.toArray(String[]::new));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
