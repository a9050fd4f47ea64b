package io.tatami.server;

import io.tatami.files.CrashPoint;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * {@link TatamiServer} for tests that stop it at named points. In the directory of the property {@value #PROPERTY}, a
 * file {@code POINT.halt} halts the process when it comes to the point, once; a file {@code POINT.pause} makes the
 * thread that comes to it say so, in {@code POINT.paused}, and wait until that file is deleted.
 */
public final class SteeredServer {
    static final String PROPERTY = "tatami.test.steering";
    private static final long POLL_NANOS = 5_000_000;

    private SteeredServer() {}

    public static void main(String[] arguments) {
        Path steering = Path.of(System.getProperty(PROPERTY));
        CrashPoint.listen(point -> passing(steering, point));
        TatamiServer.main(arguments);
    }

    private static void passing(Path steering, String point) {
        try {
            if (Files.deleteIfExists(steering.resolve(point + ".halt"))) {
                Runtime.getRuntime().halt(CrashPoint.EXIT_CODE);
            }
            Path paused = steering.resolve(point + ".paused");
            if (Files.exists(steering.resolve(point + ".pause"))) {
                Files.move(steering.resolve(point + ".pause"), paused);
                while (Files.exists(paused)) {
                    LockSupport.parkNanos(POLL_NANOS);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
