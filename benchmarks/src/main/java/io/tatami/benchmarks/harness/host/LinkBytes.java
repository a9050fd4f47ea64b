package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What an interface of this process's network namespace has carried since it was made, headers included.
 *
 * @param received bytes
 * @param sent bytes
 */
public record LinkBytes(long received, long sent) {
    /** Of the process's own namespace, unlike {@code /sys/class/net}. */
    private static final Path DEVICES = Path.of("/proc/self/net/dev");

    private static final int RECEIVED = 0;
    private static final int SENT = 8;

    /** @throws IOException where there is no such interface */
    public static LinkBytes now(String device) throws IOException {
        return parse(Files.readAllLines(DEVICES), device);
    }

    /** @param lines of proc(5)'s {@code net/dev} */
    static LinkBytes parse(List<String> lines, String device) throws IOException {
        String begin = device + ":";
        for (String line : lines) {
            if (line.strip().startsWith(begin)) {
                String[] words = line.strip().substring(begin.length()).strip().split("\\s+", -1);
                return new LinkBytes(Long.parseLong(words[RECEIVED]), Long.parseLong(words[SENT]));
            }
        }
        throw new IOException(DEVICES + " has no " + device);
    }

    /** What was carried from then until now. */
    public LinkBytes since(LinkBytes begin) {
        return new LinkBytes(received - begin.received, sent - begin.sent);
    }
}
