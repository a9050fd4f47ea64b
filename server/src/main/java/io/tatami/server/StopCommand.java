package io.tatami.server;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
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
        description = "Stops the server of a data directory and returns when it is gone. Nothing acknowledged is lost,"
                + " also if the server has to be killed.")
final class StopCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "DIR", description = "The server's data directory.")
    private Path data;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for an orderly end (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        DataDirectory directory = new DataDirectory(data);
        Optional<DataDirectory.Ready> ready = directory.ready();
        if (ready.isEmpty() || !ready.get().isAlive()) {
            spec.commandLine().getOut().println("no server runs on " + directory.root());
            return ExitCode.DONE;
        }
        ProcessHandle process = ProcessHandle.of(ready.get().pid()).orElseThrow();
        process.destroy();
        try {
            process.onExit().get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new TatamiException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "process " + process.pid() + " still runs after " + timeoutSeconds
                            + " s; wait longer with --timeout, or kill it: acknowledged data survive that",
                    e);
        }
        spec.commandLine().getOut().println("stopped " + ready.get().uri());
        return ExitCode.DONE;
    }
}
