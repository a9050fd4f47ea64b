package io.tatami.benchmarks.workload.heal;

import io.tatami.benchmarks.harness.client.CommandLines;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The client of {@link HealRounds}, on a node: {@code BLOCK-BYTES}. Its commands are {@code write NAME MIB},
 * {@code bytes-of HOST}, {@code state HOST}, {@code under}, {@code read READERS BYTES-PER-SECOND}, {@code read-bytes}
 * and {@code end}.
 */
final class HealClient {
    private static final Path DIRECTORY = new Path("/heal");
    private static final int COPIES = 3;
    private static final int CHUNK_BYTES = 1 << 20;

    private final FileSystem fs;
    private final TatamiClient client;
    private final int fileBytes;
    private final ReadLoad readers;

    private HealClient(FileSystem fs, TatamiClient client, int fileBytes) {
        this.fs = fs;
        this.client = client;
        this.fileBytes = fileBytes;
        this.readers = new ReadLoad(fs);
    }

    public static void main(String[] words) throws Exception {
        URI uri = URI.create(System.getenv("TATAMI_URI"));
        int blockBytes = Integer.parseInt(words[0]);
        Configuration configuration = new Configuration();
        configuration.setInt("tatami.client.replication", COPIES);
        configuration.setInt("tatami.client.block.size", blockBytes);
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try (FileSystem fs = FileSystem.newInstance(uri, configuration);
                TatamiClient client = TatamiClient.connect(uri.getAuthority(), user, Settings.of(Map.of()))) {
            CommandLines.serve(new HealClient(fs, client, blockBytes)::answer);
        }
        System.exit(0);
    }

    private String answer(String[] words) throws IOException {
        return switch (words[0]) {
            case "write" -> write(words[1], Long.parseLong(words[2]) << 20);
            case "bytes-of" -> Long.toString(bytesOf(words[1]));
            case "state" -> state(words[1]);
            case "under" ->
                Long.toString(client.cluster().fsck(TatamiPath.ROOT).copies().underReplicatedBlocks());
            case "read" -> {
                readers.begin(fs.listStatus(DIRECTORY), Integer.parseInt(words[1]), Long.parseLong(words[2]));
                yield "";
            }
            case "read-bytes" -> Long.toString(readers.bytes());
            default -> throw new IOException(words[0]);
        };
    }

    /** Files of one block each. */
    private String write(String name, long bytes) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        new Random(1).nextBytes(chunk);
        for (long file = 0; file < bytes / fileBytes; file++) {
            try (FSDataOutputStream out = fs.create(new Path(DIRECTORY, name + "-" + file))) {
                for (int written = 0; written < fileBytes; written += CHUNK_BYTES) {
                    out.write(chunk);
                }
            }
        }
        return "";
    }

    private long bytesOf(String host) throws IOException {
        long bytes = 0;
        for (FileStatus file : fs.listStatus(DIRECTORY)) {
            for (BlockLocation block : fs.getFileBlockLocations(file, 0, file.getLen())) {
                if (Arrays.asList(block.getHosts()).contains(host)) {
                    bytes += block.getLength();
                }
            }
        }
        return bytes;
    }

    private String state(String host) throws IOException {
        return client.cluster().status().map().getBlockServerList().stream()
                .filter(server -> server.getHost().equals(host))
                .map(BlockServerInfo::getState)
                .map(Enum::name)
                .findFirst()
                .orElse("");
    }
}
