package io.tatami.server;

import io.tatami.base.LockFile;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;

/** The course of a start: into the background, or serve here until told to stop. */
final class Serving {
    private Serving() {}

    /** Opens a server. */
    @FunctionalInterface
    interface Opener {
        Served open() throws TatamiException;
    }

    /** A server that is open. */
    record Served(AutoCloseable server, String uri) {}

    /** @return the command's exit code, once it serves in the background, or has served here */
    static int run(CommandSpec spec, ServeOptions options, Opener opener) throws Exception {
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
        System.setProperty("tatami.log.dir", directory.logs().toString());
        System.setProperty("log4j.configuration", "log4j-server.properties");
        LockFile lock = directory.lock();
        try {
            directory.removeReady();
            serveHere(directory, opener);
        } finally {
            lock.close();
        }
        return ExitCode.DONE;
    }

    private static void serveHere(DataDirectory directory, Opener opener) throws Exception {
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (AutoCloseable server = announce(directory, opener.open())) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(stop, stopped), "stop"));
            stop.await();
            LoggerFactory.getLogger(Serving.class)
                    .info("stopping {}", server.getClass().getSimpleName());
        } finally {
            directory.removeReady();
            stopped.countDown();
        }
    }

    private static AutoCloseable announce(DataDirectory directory, Served served) throws IOException {
        directory.writeReady(
                new DataDirectory.Ready(served.uri(), ProcessHandle.current().pid()));
        System.out.println("serving " + served.uri());
        return served.server();
    }

    /** The process may end only when the server is closed. */
    private static void stopAndWait(CountDownLatch stop, CountDownLatch stopped) {
        stop.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
