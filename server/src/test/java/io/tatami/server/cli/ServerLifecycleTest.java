package io.tatami.server.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.cli.ServerLifecycle.Served;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.DataDirectory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** How a process that serves ends by itself. */
final class ServerLifecycleTest {
    private static final CompletableFuture<String> DISK_GONE = CompletableFuture.completedFuture("the disk is gone");

    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();
    private final CommandLine command = TatamiServer.commandLine().setErr(new PrintWriter(err));

    @Test
    void aServerThatServesNoGroupAnyMoreIsClosedAndEndsWithAnExitCodeOfItsOwn() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();

        assertEquals(ExitCode.STOPPED, run(new Served(() -> closed.set(true), "tatami://h:1", DISK_GONE)));

        assertTrue(closed.get());
        assertTrue(err.toString().contains("this server serves nothing any more: the disk is gone"), err::toString);
        assertTrue(new DataDirectory(directory).ready().isEmpty());
    }

    @Test
    void itEndsSoAlsoWhereNothingClosesAndItsDirectoryTakesNoChange() throws Exception {
        AutoCloseable broken = () -> {
            Path ready = directory.resolve("run").resolve("ready");
            Files.delete(ready);
            Files.createDirectories(ready.resolve("in-the-way"));
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot flush");
        };

        assertEquals(ExitCode.STOPPED, run(new Served(broken, "tatami://h:1", DISK_GONE)));
    }

    private int run(Served served) throws Exception {
        ServeOptions options = new ServeOptions();
        options.host = "localhost";
        options.data = directory;
        options.foreground = true;
        return ServerLifecycle.run(command.getCommandSpec(), options, Monitoring.Role.METADATA, monitoring -> served);
    }
}
