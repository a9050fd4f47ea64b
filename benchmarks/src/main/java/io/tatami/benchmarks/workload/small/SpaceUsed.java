package io.tatami.benchmarks.workload.small;

import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.TatamiVolumes;
import io.tatami.files.LiveFiles;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * What a peer takes of the disk for names, indices and data, in bytes, as if nothing were under way: logs whose content
 * is elsewhere too, and versions that nobody asks for any more, do not count, since when they go is chance.
 */
final class SpaceUsed {
    /** For the results. */
    static final String DEFINITION =
            "space: tatami: room that blocks have of the volume, and the tables of all stores of metadata and of the block"
                    + " index, flushed and compacted; hdfs: what the DataNode's directory has allocated (blocks and their"
                    + " checksums), and the image of the names, saved at that moment";

    private SpaceUsed() {}

    /** @param directory the peer's */
    static long bytes(Peer peer, Path directory) throws IOException, InterruptedException {
        return peer.name().equals("tatami") ? ofTatami(peer, directory) : ofHdfs(peer, directory);
    }

    private static long ofTatami(Peer peer, Path directory) throws IOException {
        long bytes = TatamiVolumes.of(peer).stream()
                .mapToLong(VolumeStatus::getUsedBytes)
                .sum();
        for (Path store : stores(directory)) {
            bytes += SettledStore.bytes(store, directory.resolve("settled-copy"));
        }
        return bytes;
    }

    private static List<Path> stores(Path directory) throws IOException {
        List<Path> stores = new ArrayList<>();
        LiveFiles.visit(directory.resolve("data"), (file, attributes) -> {
            if (file.endsWith("CURRENT")) {
                stores.add(directory.resolve(file).getParent());
            }
        });
        return stores;
    }

    private static long ofHdfs(Peer peer, Path directory) throws IOException, InterruptedException {
        try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(peer.configuration())) {
            fs.setSafeMode(SafeModeAction.ENTER);
            fs.saveNamespace();
            fs.setSafeMode(SafeModeAction.LEAVE);
        }
        String blocks = Program.run(
                "du", "--summarize", "--block-size=1", directory.resolve("data").toString());
        return Long.parseLong(blocks.split("\\s+", -1)[0]) + newestImageBytes(directory.resolve("name"));
    }

    private static long newestImageBytes(Path names) throws IOException {
        try (Stream<Path> images = Files.list(names.resolve("current"))) {
            Path newest = images.filter(file -> file.getFileName().toString().matches("fsimage_[0-9]+"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow(() -> new IOException("the NameNode has saved no image in " + names));
            return Files.size(newest);
        }
    }
}
