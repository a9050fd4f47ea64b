package io.tatami.server.cli;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.PositiveNumber;
import io.tatami.server.node.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami stop --data DIR}. */
@Command(
        name = "stop",
        description = "Stops the server of a data directory and waits for its end. No acknowledged write is lost,"
                + " even if the server must be killed.")
final class StopCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "DIR", description = "The server's data directory.")
    private Path data;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            converter = PositiveNumber.class,
            description = "Seconds to wait for an orderly shutdown (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (!Files.isDirectory(data)) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there is no directory " + data + "; name the one that the server was started with");
        }
        DataDirectory directory = new DataDirectory(data);
        Optional<ProcessHandle> server = directory.server();
        if (server.isEmpty()) {
            spec.commandLine().getOut().println("no server runs on " + directory.root());
            return ExitCode.DONE;
        }
        String uri = directory.ready().map(DataDirectory.Ready::uri).orElse("a server that was starting");
        end(server.get());
        spec.commandLine().getOut().println("stopped " + uri);
        return ExitCode.DONE;
    }

    private void end(ProcessHandle process) throws TatamiException, InterruptedException, ExecutionException {
        if (!process.destroy() && process.isAlive()) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "this user may not stop process " + process.pid() + "; stop it as the user who started it");
        }
        try {
            process.onExit().get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new TatamiException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "process " + process.pid() + " is still running after " + timeoutSeconds
                            + " s; wait longer with --timeout, or kill it: acknowledged data survive a kill",
                    e);
        }
    }
}
