package io.tatami.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Gives the name of this host an address, which MapReduce looks up with each job and a build machine need not have.
 * Java reads the file instead of asking the system; it has to be told before the first look-up, so before the first
 * test.
 */
public final class HostNames implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            Path file = Files.createTempFile("tatami-hosts", "");
            file.toFile().deleteOnExit();
            Files.writeString(file, "127.0.0.1 localhost " + name + "\n");
            System.setProperty("jdk.net.hosts.file", file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("this host's name cannot be given an address", e);
        }
    }
}
