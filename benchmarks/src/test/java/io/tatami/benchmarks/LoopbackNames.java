package io.tatami.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Does for tests, and the processes they start, what {@code bin/tatami} does for a benchmark: the name of this host,
 * which YARN looks up and a build machine need not have in its DNS, is on loopback.
 */
public final class LoopbackNames implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            // A task's options are split at spaces, which the directory of a build may have.
            Path file = Files.createTempFile(Path.of("/tmp"), "tatami-hosts", "");
            file.toFile().deleteOnExit();
            Files.writeString(file, "127.0.0.1 localhost " + name + "\n");
            System.setProperty("jdk.net.hosts.file", file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("this host's name cannot be given an address", e);
        }
    }
}
