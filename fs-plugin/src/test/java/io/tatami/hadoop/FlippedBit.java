package io.tatami.hadoop;

import io.tatami.files.LiveFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Damages a copy where it lies, as a disk does. */
final class FlippedBit {
    private static final int SECTOR_BYTES = 512;

    private static final int SECTOR = 16;

    private FlippedBit() {}

    /**
     * Flips a bit of a file's content, wherever on a server's volumes it is.
     *
     * @param directory of the server
     * @param volumeBytes of each of its volumes; smaller files are none
     */
    static void in(Path directory, long volumeBytes, byte[] content) throws IOException {
        byte[] wanted = Arrays.copyOfRange(content, SECTOR * SECTOR_BYTES, (SECTOR + 1) * SECTOR_BYTES);
        for (Path file : volumes(directory, volumeBytes)) {
            try (RandomAccessFile volume = new RandomAccessFile(file.toFile(), "rw")) {
                byte[] sector = new byte[SECTOR_BYTES];
                for (long at = 0; at + SECTOR_BYTES <= volume.length(); at += SECTOR_BYTES) {
                    volume.seek(at);
                    volume.readFully(sector);
                    if (Arrays.equals(sector, wanted)) {
                        volume.seek(at);
                        volume.write(wanted[0] ^ 1);
                        return;
                    }
                }
            }
        }
        throw new AssertionError("no volume in " + directory + " holds the file's bytes");
    }

    private static List<Path> volumes(Path directory, long volumeBytes) throws IOException {
        List<Path> volumes = new ArrayList<>();
        LiveFiles.visit(directory, (file, attributes) -> {
            if (attributes.size() >= volumeBytes / 2) {
                volumes.add(file);
            }
        });
        return volumes;
    }
}
