package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.DirectDevice;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.RocksIndexStore;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * One writer and one reader of a volume beside the device itself: {@code VolumeThroughput DIRECTORY [ROUNDS]}. Prints
 * MB/s for each round; the device is written and read in units of 4 MiB, one at a time, and flushed at the end.
 */
public final class VolumeThroughput {
    private static final UUID CLUSTER = new UUID(5, 6);
    private static final int BLOCKS = 4;
    private static final int BLOCK_BYTES = 256 << 20;
    private static final int FRAME_BYTES = 1 << 20;
    private static final long TOTAL_BYTES = (long) BLOCKS * BLOCK_BYTES;

    private final Path file;
    private final Path index;
    private final VolumeResources resources = VolumeResources.withBuffers(8, 8);

    private final ByteBuffer unit = ByteBuffer.allocateDirect(Device.UNIT_BYTES + Device.ALIGNMENT_BYTES)
            .alignedSlice(Device.ALIGNMENT_BYTES)
            .slice(0, Device.UNIT_BYTES);

    private VolumeThroughput(Path directory) {
        file = directory.resolve("throughput.volume");
        index = directory.resolve("throughput.index");
    }

    public static void main(String[] arguments) throws Exception {
        VolumeThroughput measurement = new VolumeThroughput(Path.of(arguments[0]));
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        VolumeFile.create(measurement.file, TOTAL_BYTES + (8 << 20));
        try {
            measurement.rawWrite();
            for (int round = 0; round < rounds; round++) {
                measurement.round();
            }
        } finally {
            Files.delete(measurement.file);
            RocksIndexStore.destroy(measurement.index);
        }
    }

    private void round() throws TatamiException {
        double rawWrite = rawWrite();
        double rawRead = rawRead();
        new VolumeFormatter(CLUSTER, new SecureRandom()).format(file, index, true);
        double write;
        double read;
        try (Volume volume = new VolumeOpener(CLUSTER, resources).open(file, index)) {
            write = volumeWrite(volume);
            read = volumeRead(volume);
        }
        System.out.printf(
                "write: device %.0f, volume %.0f MB/s (%.2f)   read: device %.0f, volume %.0f MB/s (%.2f)%n",
                rawWrite, write, write / rawWrite, rawRead, read, read / rawRead);
    }

    private double rawWrite() throws TatamiException {
        try (Device device = DirectDevice.open(file)) {
            long start = System.nanoTime();
            for (long at = 0; at < TOTAL_BYTES; at += Device.UNIT_BYTES) {
                device.write(at, unit.clear());
            }
            device.flush();
            return megabytesPerSecond(start);
        }
    }

    private double rawRead() throws TatamiException {
        try (Device device = DirectDevice.open(file)) {
            long start = System.nanoTime();
            for (long at = 0; at < TOTAL_BYTES; at += Device.UNIT_BYTES) {
                device.readFully(at, unit.clear());
            }
            return megabytesPerSecond(start);
        }
    }

    private static double volumeWrite(Volume volume) throws TatamiException {
        ByteBuffer frame = ByteBuffer.allocateDirect(FRAME_BYTES);
        int[] checksums = ChunkChecksum.ofPieces(0, frame);
        long start = System.nanoTime();
        for (int i = 1; i <= BLOCKS; i++) {
            try (BlockWriter writer = volume.create(new BlockId(i), Generation.FIRST, BLOCK_BYTES, false)) {
                for (int at = 0; at < BLOCK_BYTES; at += FRAME_BYTES) {
                    writer.append(frame.clear(), checksums);
                }
                writer.finish();
            }
        }
        return megabytesPerSecond(start);
    }

    private static double volumeRead(Volume volume) throws TatamiException {
        long start = System.nanoTime();
        for (int i = 1; i <= BLOCKS; i++) {
            try (BlockReader reader = volume.read(new BlockId(i), Generation.FIRST, 0, BLOCK_BYTES)) {
                for (ReadUnit got = reader.next(); got != null; got = reader.next()) {
                    got.close();
                }
            }
        }
        return megabytesPerSecond(start);
    }

    private static double megabytesPerSecond(long startNanos) {
        return TOTAL_BYTES * 1e3 / (System.nanoTime() - startNanos);
    }
}
