package io.tatami.server.lab.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A network namespace with one interface, {@code eth0}, whose other end is a port of a bridge on this machine. The
 * bridge has no address here: the network is closed. Needs root and the programs of iproute2.
 *
 * <p>What a sender's packets meet when it is cut off is a blackhole rule (ip-rule(8)) at the receiver, for packets that
 * come in. So a sender notices nothing, as with a broken switch; a blackhole route at the sender would make its
 * {@code connect} fail at once. For that the rule of the local table stands behind these rules.
 *
 * @param name of the namespace; the port of the bridge has the same
 */
public record NetworkNamespace(String name) {
    public static final String DEVICE = "eth0";

    private static final Path NAMESPACES = Path.of("/run/netns");
    private static final Path LINKS = Path.of("/sys/class/net");
    private static final String LOCAL_TABLE_PREFERENCE = "100";
    private static final String DROP_PREFERENCE = "10";
    private static final Pattern DROP =
            Pattern.compile("^" + DROP_PREFERENCE + ":\\s+from (\\S+) iif " + DEVICE + " blackhole\\b.*");

    /** Makes a bridge to which namespaces can be connected. */
    public static void makeBridge(String bridge) throws IOException, InterruptedException {
        Program.run("ip", "link", "add", bridge, "type", "bridge");
        Program.run("ip", "link", "set", bridge, "up");
    }

    /** Namespaces of this machine whose names begin so. */
    public static List<NetworkNamespace> withPrefix(String prefix) throws IOException {
        return names(NAMESPACES, prefix).stream().map(NetworkNamespace::new).toList();
    }

    /** Links of this machine, bridges and ports, whose names begin so. */
    public static List<String> linksWithPrefix(String prefix) throws IOException {
        return names(LINKS, prefix);
    }

    private static List<String> names(Path directory, String prefix) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            TreeSet<String> names = new TreeSet<>();
            entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.startsWith(prefix))
                    .forEach(names::add);
            return List.copyOf(names);
        }
    }

    /** Removes a bridge or a port; does nothing where it is gone, as a port is with its namespace. */
    public static void removeLink(String link) throws IOException, InterruptedException {
        try {
            Program.run("ip", "link", "del", link);
        } catch (IOException e) {
            if (Files.exists(LINKS.resolve(link))) {
                throw e;
            }
        }
    }

    /**
     * Makes the namespace and connects it.
     *
     * @param address with the length of the network's prefix, such as {@code 10.0.0.1/24}
     */
    public void make(String bridge, String address) throws IOException, InterruptedException {
        Program.run("ip", "netns", "add", name);
        Program.run("ip", "link", "add", name, "type", "veth", "peer", "name", DEVICE, "netns", name);
        Program.run("ip", "link", "set", name, "master", bridge, "up");
        inside("addr", "add", address, "dev", DEVICE);
        inside("link", "set", "lo", "up");
        inside("link", "set", DEVICE, "up");
        inside("rule", "add", "pref", LOCAL_TABLE_PREFERENCE, "lookup", "local");
        inside("rule", "del", "pref", "0");
    }

    private String inside(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip", "-n", name));
        command.addAll(List.of(words));
        return Program.run(command.toArray(String[]::new));
    }

    public Path file() {
        return NAMESPACES.resolve(name);
    }

    /** From now on no packet of this sender arrives. */
    public void drop(String sender) throws IOException, InterruptedException {
        if (!dropped().contains(sender)) {
            inside("rule", "add", "pref", DROP_PREFERENCE, "from", sender, "iif", DEVICE, "blackhole");
        }
    }

    /** Takes {@link #drop} back. */
    public void accept(String sender) throws IOException, InterruptedException {
        if (dropped().contains(sender)) {
            inside("rule", "del", "pref", DROP_PREFERENCE, "from", sender, "iif", DEVICE, "blackhole");
        }
    }

    /** The senders whose packets do not arrive, by the kernel's account. */
    public List<String> dropped() throws IOException, InterruptedException {
        return inside("rule", "show")
                .lines()
                .map(DROP::matcher)
                .filter(Matcher::matches)
                .map(rule -> rule.group(1))
                .toList();
    }

    /** The processes in it. */
    public List<ProcessMark> processes() throws IOException, InterruptedException {
        return Program.run("ip", "netns", "pids", name)
                .lines()
                .map(String::strip)
                .filter(pid -> !pid.isEmpty())
                .flatMap(pid -> ProcessMark.of(Long.parseLong(pid)).stream())
                .toList();
    }

    /** Removes it; a process that is in it keeps it until it ends. */
    public void remove() throws IOException, InterruptedException {
        Program.run("ip", "netns", "del", name);
    }
}
