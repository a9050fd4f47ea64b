package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process holds in memory, by the kernel's account in {@code /proc/PID/status}.
 *
 * @param residentBytes now
 * @param residentPeakBytes the most since it began
 */
public record ProcessMemory(long residentBytes, long residentPeakBytes) {
    /** @throws IOException where there is no such process, or no such account on this system */
    public static ProcessMemory of(long pid) throws IOException {
        List<String> status = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
        return new ProcessMemory(bytes(status, "VmRSS:"), bytes(status, "VmHWM:"));
    }

    private static long bytes(List<String> status, String label) throws IOException {
        for (String line : status) {
            if (line.startsWith(label)) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IOException("the kernel does not tell " + label);
    }
}
