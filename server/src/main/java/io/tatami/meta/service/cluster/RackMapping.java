package io.tatami.meta.service.cluster;

import io.tatami.base.WaitLimit;
import io.tatami.conf.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The racks of hosts, by the table or the script that Hadoop's configuration names. The table, {@value #TABLE_KEY}, has
 * lines of a host's name or address and its rack; where there is one, no script is asked. The script,
 * {@value #SCRIPT_KEY}, is given addresses as arguments, and prints a rack for each. A mapping class of Hadoop's is not
 * run. Its methods block, and are safe for use by many threads.
 */
final class RackMapping {
    static final String TABLE_KEY = "net.topology.table.file.name";
    static final String SCRIPT_KEY = "net.topology.script.file.name";

    static final long SCRIPT_SECONDS_MAX = 10;
    static final int OUTPUT_BYTES_MAX = 256 << 10;
    private static final long LOOK_MILLIS = 50;
    private static final long TABLE_BYTES_MAX = 16 << 20;

    /** As in Hadoop; addresses of one run of the script. */
    private static final int ARGUMENTS_MAX = 100;

    private static final int RACK_BYTES_MAX = 1_024;

    private final String table;
    private final String script;

    /**
     * @param table path of the table; empty for none
     * @param script path of the script; empty for none
     */
    RackMapping(String table, String script) {
        this.table = table;
        this.script = script;
    }

    static RackMapping from(Settings settings) {
        return new RackMapping(settings.foreign(TABLE_KEY), settings.foreign(SCRIPT_KEY));
    }

    boolean isConfigured() {
        return !table.isEmpty() || !script.isEmpty();
    }

    /**
     * The racks of those hosts of which something is known.
     *
     * @throws IOException where the table cannot be read, or the script fails, prints too much, or takes too long
     */
    Map<String, String> racks(List<String> hosts) throws IOException, InterruptedException {
        Map<String, String> addresses = new LinkedHashMap<>();
        hosts.forEach(host -> addresses.put(host, address(host)));
        if (!table.isEmpty()) {
            return byTable(addresses);
        }
        Map<String, String> racks = new HashMap<>();
        List<String> names = List.copyOf(addresses.keySet());
        for (int from = 0; from < names.size() && !script.isEmpty(); from += ARGUMENTS_MAX) {
            List<String> some = names.subList(from, Math.min(names.size(), from + ARGUMENTS_MAX));
            List<String> answers =
                    run(some.stream().map(addresses::get).map(String::valueOf).toList());
            for (int i = 0; i < some.size(); i++) {
                put(racks, some.get(i), answers.get(i));
            }
        }
        return racks;
    }

    /** As Hadoop asks for hosts: by address where that is known. */
    private static String address(String host) {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            return host;
        }
    }

    private Map<String, String> byTable(Map<String, String> addresses) throws IOException {
        Map<String, String> lines = readTable();
        Map<String, String> racks = new HashMap<>();
        addresses.forEach((host, address) -> {
            String rack = lines.getOrDefault(host, lines.get(address));
            if (rack != null) {
                put(racks, host, rack);
            }
        });
        return racks;
    }

    private Map<String, String> readTable() throws IOException {
        Path path = Path.of(table);
        if (Files.size(path) > TABLE_BYTES_MAX) {
            throw new IOException(path + " has more than " + TABLE_BYTES_MAX + " bytes");
        }
        Map<String, String> lines = new HashMap<>();
        try (BufferedReader reader = Files.newBufferedReader(path)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] words = line.strip().split("\\s+", -1);
                if (words.length == 2 && !words[0].startsWith("#")) {
                    lines.put(words[0], words[1]);
                }
            }
        }
        return lines;
    }

    private static void put(Map<String, String> racks, String host, String rack) {
        if (rack.startsWith("/") && rack.length() <= RACK_BYTES_MAX) {
            racks.put(host, rack);
        }
    }

    private List<String> run(List<String> arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile("tatami-racks", null);
        try {
            String[] racks = printed(arguments, output).strip().split("\\s+", -1);
            if (racks.length != arguments.size()) {
                throw new IOException(
                        script + " printed " + racks.length + " racks for " + arguments.size() + " hosts");
            }
            return List.of(racks);
        } finally {
            Files.delete(output);
        }
    }

    /**
     * What the script has printed to its end. To a file, not to a pipe: a process that the script leaves behind has the
     * output open as long as it lives, and is not waited for.
     */
    private String printed(List<String> arguments, Path output) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(script));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            process.getOutputStream().close();
            WaitLimit limit = WaitLimit.ofMillis(TimeUnit.SECONDS.toMillis(SCRIPT_SECONDS_MAX));
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                requireShort(output);
                if (limit.leftNanos() <= 0) {
                    throw new IOException(script + " took more than " + SCRIPT_SECONDS_MAX + " s, and was ended");
                }
            }
            requireShort(output);
            if (process.exitValue() != 0) {
                throw new IOException(script + " failed with exit code " + process.exitValue());
            }
            return Files.readString(output);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private void requireShort(Path output) throws IOException {
        if (Files.size(output) > OUTPUT_BYTES_MAX) {
            throw new IOException(script + " printed more than " + OUTPUT_BYTES_MAX + " bytes");
        }
    }
}
