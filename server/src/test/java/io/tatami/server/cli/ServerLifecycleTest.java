package io.tatami.server.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** How a process that serves ends by itself, and how a start fails. */
final class ServerLifecycleTest {
    private static final CompletableFuture<String> DISK_GONE = CompletableFuture.completedFuture("the disk is gone");

    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();
    private final CommandLine command = TatamiServer.commandLine().setErr(new PrintWriter(err));

    @Test
    void aServerThatServesNoGroupAnyMoreIsClosedAndEndsWithAnExitCodeOfItsOwn() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();

        assertEquals(ExitCode.STOPPED, run(served(() -> closed.set(true), monitoring -> {})));

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

        assertEquals(ExitCode.STOPPED, run(served(broken, monitoring -> {})));
    }

    @Test
    void aServerThatCannotBeWatchedIsClosedAndNotAnnounced() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        IllegalStateException refusal = new IllegalStateException("a gauge of this name is there already");

        assertSame(
                refusal,
                assertThrows(
                        IllegalStateException.class,
                        () -> run(served(() -> closed.set(true), monitoring -> {
                            throw refusal;
                        }))));

        assertTrue(closed.get());
        assertTrue(new DataDirectory(directory).ready().isEmpty());
    }

    private static Served served(AutoCloseable server, Consumer<Monitoring> watch) {
        return new Served(server, "tatami://h:1", DISK_GONE, watch);
    }

    private int run(Served served) throws Exception {
        ServeOptions options = new ServeOptions();
        options.host = "localhost";
        options.data = directory;
        options.foreground = true;
        return ServerLifecycle.run(command.getCommandSpec(), options, Monitoring.Role.METADATA, monitoring -> served);
    }
}
