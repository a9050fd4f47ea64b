package io.tatami.server.cli;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.DataDirectory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Starts this program once more, in the background and out of this terminal's reach, and waits until it serves. The
 * child gets the same Java options, the same command line and {@code --foreground}.
 */
final class BackgroundStart {
    private static final long POLL_MILLIS = 50;
    private static final long WAIT_MILLIS_MAX = 180_000;

    private final DataDirectory directory;

    BackgroundStart(DataDirectory directory) {
        this.directory = directory;
    }

    /**
     * Returns once the child serves.
     *
     * @throws TatamiException with what the child said where it ended instead
     */
    DataDirectory.Ready start(List<String> arguments) throws IOException, InterruptedException {
        Path console = directory.logs().resolve("console.log");
        Process child = new ProcessBuilder(commandLine(arguments))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(console.toFile())
                .start();
        for (long waited = 0; waited < WAIT_MILLIS_MAX; waited += POLL_MILLIS) {
            Optional<DataDirectory.Ready> ready = directory.ready();
            if (ready.isPresent() && ready.get().pid() == child.pid()) {
                return ready.get();
            }
            if (child.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw failure(child.exitValue(), lastWords(console));
            }
        }
        child.destroy();
        throw new TatamiException(
                ErrorCode.DEADLINE_EXCEEDED,
                "the server did not begin to serve within " + TimeUnit.MILLISECONDS.toSeconds(WAIT_MILLIS_MAX)
                        + " s and was stopped; see " + directory.logs());
    }

    /** What ends this command as the child ended. */
    private static TatamiException failure(int exitCode, String lastWords) {
        return new TatamiException(
                exitCode == ExitCode.USAGE ? ErrorCode.INVALID_ARGUMENT : ErrorCode.UNAVAILABLE, lastWords);
    }

    private static List<String> commandLine(List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(TatamiServer.class.getName());
        command.addAll(arguments);
        command.add("--foreground");
        return command;
    }

    private static String lastWords(Path console) throws IOException {
        String text = Files.readString(console, StandardCharsets.UTF_8).trim();
        String prefix = TatamiServer.ERROR_PREFIX;
        int error = text.lastIndexOf(prefix);
        return error < 0 ? "the server ended: " + text : text.substring(error + prefix.length());
    }
}
