package io.tatami.server.cli;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.files.LockFile;
import io.tatami.protocol.Release;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.DataDirectory;
import io.tatami.server.node.PartsCloser;
import io.tatami.server.node.SettingsOfAll;
import io.tatami.server.node.SystemSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;

/** The course of a start: into the background, or serve here until told to stop. */
final class ServerLifecycle {
    /** The system property that {@code log4j-server.properties} reads; {@code TATAMI_LOG_DIR} sets it. */
    private static final String LOG_DIRECTORY = "tatami.log.dir";

    private ServerLifecycle() {}

    /** Opens a server whose surroundings are of {@code monitoring}; closes all of it where it fails. */
    @FunctionalInterface
    interface Opener {
        Served open(Monitoring monitoring) throws TatamiException;
    }

    /**
     * A server that is open.
     *
     * @param ended completes with the reason once it serves nothing any more
     * @param watch tells the monitoring of the process about it; the server is closed where that fails
     */
    record Served(AutoCloseable server, String uri, CompletableFuture<String> ended, Consumer<Monitoring> watch) {}

    /** @return the command's exit code, once it serves in the background, or has served here */
    static int run(CommandSpec spec, ServeOptions options, Monitoring.Role role, Opener opener) throws Exception {
        DataDirectory directory = new DataDirectory(options.data);
        directory.create();
        if (!options.foreground) {
            if (directory.server().isPresent()) {
                throw directory.servedAlready();
            }
            directory.removeReady();
            List<String> words = spec.root().commandLine().getParseResult().originalArgs();
            DataDirectory.Ready ready = new BackgroundStart(directory).start(words);
            spec.commandLine().getOut().println("serving " + ready.uri() + ", process " + ready.pid());
            return ExitCode.DONE;
        }
        if (System.getProperty(LOG_DIRECTORY, "").isEmpty()) {
            System.setProperty(LOG_DIRECTORY, directory.logs().toString());
        }
        System.setProperty("log4j.configuration", "log4j-server.properties");
        LockFile lock = directory.lock();
        try {
            directory.removeReady();
            try (Monitoring monitoring = monitoring(options, role)) {
                return serveHere(spec, directory, monitoring, opener);
            }
        } finally {
            lock.close();
        }
    }

    private static Monitoring monitoring(ServeOptions options, Monitoring.Role role) throws TatamiException {
        return Monitoring.open(
                SystemSettings.get(), SettingsOfAll.catalog(), role, options.host, Release.name(), Clock.SYSTEM);
    }

    private static int serveHere(CommandSpec spec, DataDirectory directory, Monitoring monitoring, Opener opener)
            throws Exception {
        CompletableFuture<Optional<String>> end = new CompletableFuture<>();
        CountDownLatch stopped = new CountDownLatch(1);
        try {
            Served served = opener.open(monitoring);
            Deque<AutoCloseable> parts = new ArrayDeque<>(List.of(served.server(), directory::removeReady));
            try {
                served.watch().accept(monitoring);
                announce(directory, served);
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(end, stopped), "stop"));
                CompletableFuture<Boolean> unused =
                        served.ended().thenApply(reason -> end.complete(Optional.of(reason)));
                end.join().ifPresent(reason -> tellEnd(spec, reason));
                monitoring.stops();
                LoggerFactory.getLogger(ServerLifecycle.class)
                        .info("stopping {}", served.server().getClass().getSimpleName());
            } catch (IOException | RuntimeException e) {
                PartsCloser.closeAfter(parts, e);
                throw e;
            }
            return close(parts, end.join().isPresent());
        } finally {
            stopped.countDown();
        }
    }

    private static void tellEnd(CommandSpec spec, String reason) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(TatamiServer.ERROR_PREFIX + "this server serves nothing any more: " + reason);
        err.flush();
    }

    /** Where a server ended by itself, why is told already; its disk may take nothing any more. */
    private static int close(Deque<AutoCloseable> parts, boolean endedByItself) throws TatamiException {
        try {
            PartsCloser.close(parts);
        } catch (TatamiException e) {
            if (!endedByItself) {
                throw e;
            }
            LoggerFactory.getLogger(ServerLifecycle.class).error("the server ended, but could not be closed", e);
        }
        return endedByItself ? ExitCode.STOPPED : ExitCode.DONE;
    }

    private static void announce(DataDirectory directory, Served served) throws IOException {
        directory.writeReady(
                new DataDirectory.Ready(served.uri(), ProcessHandle.current().pid()));
        System.out.println("serving " + served.uri());
    }

    /** The process may end only when the server is closed. */
    private static void stopAndWait(CompletableFuture<Optional<String>> end, CountDownLatch stopped) {
        end.complete(Optional.empty());
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
