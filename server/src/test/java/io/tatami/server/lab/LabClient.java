package io.tatami.server.lab;

import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.ReadStatistics;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.ClusterAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/**
 * A client program that runs on a node of a lab: {@code write PATH} or {@code read PATH}. Its one line says on which
 * hosts the copies are, what was read here and from elsewhere, and whether bytes went through shared memory.
 */
final class LabClient {
    private static final int LENGTH = 8 << 20;
    private static final long SEED = 41;

    private LabClient() {}

    /** The command line of one, for {@link Lab#command}. */
    static List<String> command(String... words) {
        List<String> command = new ArrayList<>(TestJava.command(LabClient.class));
        command.addAll(List.of(words));
        return command;
    }

    public static void main(String[] words) throws IOException {
        byte[] content = new byte[LENGTH];
        new Random(SEED).nextBytes(content);
        TatamiPath path = TatamiPath.of(words[1]);
        Settings settings = Settings.of(Map.of("tatami.client.block.size", "16m"));
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        String authority = ClusterAddress.of(System.getenv("TATAMI_URI")).authority();
        try (TatamiClient client = TatamiClient.connect(authority, user, settings)) {
            System.out.println(words[0].equals("write") ? write(client, path, content) : read(client, path, content));
        }
    }

    private static String write(TatamiClient client, TatamiPath path, byte[] content) throws IOException {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT)) {
            writer.write(content, 0, content.length);
            writer.hsync(true);
            return "wrote to " + hosts(client, path) + " shared " + (writer.sharedBytes() > 0);
        }
    }

    private static String read(TatamiClient client, TatamiPath path, byte[] content) throws IOException {
        byte[] found = new byte[content.length];
        try (FileReader reader = client.open(path, ReadPolicy.ADAPTIVE)) {
            int length = 0;
            while (length < found.length) {
                length += reader.read(found, length, found.length - length);
            }
            ReadStatistics statistics = reader.statistics();
            return "read " + (Arrays.equals(found, content) ? "the same" : "something else") + " from "
                    + hosts(client, path) + " here " + (statistics.localBytes() > 0)
                    + " elsewhere " + (statistics.remoteBytes() > 0)
                    + " shared " + (statistics.sharedBytes() > 0);
        }
    }

    private static TreeSet<String> hosts(TatamiClient client, TatamiPath path) throws IOException {
        TreeSet<String> hosts = new TreeSet<>();
        for (LocatedBlock block : client.blockLocations(path, 0, LENGTH)) {
            block.holders().forEach(holder -> hosts.add(holder.host()));
        }
        return hosts;
    }
}
