package io.tatami.server.lab.command;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.Lab;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands of a lab have in common. */
abstract class LabAction implements Callable<Integer> {
    static final int DONE = 0;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "${sys:java.io.tmpdir}/tatami-lab-${sys:user.name}",
            description = "The lab's directory (default: ${DEFAULT-VALUE}).")
    private Path directory;

    final Path directory() {
        return directory;
    }

    final Lab lab() throws IOException {
        return Lab.open(directory);
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final void say(String line) {
        out().println(line);
        out().flush();
    }

    /** @return the exit code */
    abstract int run() throws IOException, InterruptedException;

    /** What a program of the system refuses is told in a line, as everything the world refuses. */
    @Override
    public final Integer call() throws TatamiException, InterruptedException {
        try {
            return run();
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, String.valueOf(e.getMessage()), e);
        }
    }
}
