package io.tatami.block.service;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;
import io.tatami.block.device.DirectDevice;
import io.tatami.block.device.VolumeFile;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * Compares one writer, and one reader of what no cache holds, through client, loopback, block server and volume, with
 * the device alone, written and read in the same units. A program, not a test: arguments are a directory on the disk to
 * measure, how many MiB to move, and how often.
 */
final class BlockThroughput {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_MIB = 256;

    private BlockThroughput() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory(Path.of(arguments[0]), "throughput");
        int mebibytes = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        Path raw = directory.resolve("raw");
        System.out.println("allocation " + VolumeFile.create(raw, (long) mebibytes * MIB));
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings(), (long) (mebibytes + BLOCK_MIB) * MIB)) {
            rawPass(raw, mebibytes, true);
            for (int round = 0; round < rounds; round++) {
                report("raw write", mebibytes, rawPass(raw, mebibytes, true));
                report("write", mebibytes, write(rig, round, mebibytes));
                report("raw read", mebibytes, rawPass(raw, mebibytes, false));
                report("read", mebibytes, read(rig, round, mebibytes));
                for (int block = 0; block * BLOCK_MIB < mebibytes; block++) {
                    rig.server(0).running().volume().delete(block(round, block), Generation.FIRST);
                }
            }
        }
        for (Path file : Files.walk(directory).sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
        }
    }

    private static void report(String what, int mebibytes, long nanos) {
        System.out.printf("%-9s %7.1f MiB/s%n", what, mebibytes * 1e9 / nanos);
    }

    private static BlockId block(int round, int number) {
        return BlockRig.block(1 + round * 1000 + number);
    }

    /** Two accesses in flight, as a volume has, one flush at the end. */
    private static long rawPass(Path path, int mebibytes, boolean write) throws Exception {
        AlignedBufferPool pool = new AlignedBufferPool(Device.UNIT_BYTES, 2);
        try (Device device = DirectDevice.open(path)) {
            long start = System.nanoTime();
            Thread other = new Thread(() -> rawHalf(device, pool, mebibytes, 1, write));
            other.start();
            rawHalf(device, pool, mebibytes, 0, write);
            other.join();
            if (write) {
                device.flush();
            }
            return System.nanoTime() - start;
        }
    }

    private static void rawHalf(Device device, AlignedBufferPool pool, int mebibytes, int half, boolean write) {
        AlignedBuffer buffer = pool.acquire(1000);
        if (buffer == null) {
            throw new IllegalStateException("no buffer");
        }
        try {
            for (long at = (long) half * Device.UNIT_BYTES; at < (long) mebibytes * MIB; at += 2L * Device.UNIT_BYTES) {
                if (write) {
                    device.write(at, buffer.range(0, Device.UNIT_BYTES));
                } else {
                    device.readFully(at, buffer.range(0, Device.UNIT_BYTES));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            buffer.release();
        }
    }

    private static long write(BlockRig rig, int round, int mebibytes) throws Exception {
        byte[] bytes = BlockRig.bytes(1, MIB);
        long start = System.nanoTime();
        for (int number = 0; number * BLOCK_MIB < mebibytes; number++) {
            try (BlockWriteStream stream = rig.client.openWriter(
                    rig.chain(), WriteSpec.create(block(round, number), Generation.FIRST, (long) BLOCK_MIB * MIB))) {
                for (int i = 0; i < Math.min(BLOCK_MIB, mebibytes - number * BLOCK_MIB); i++) {
                    stream.write(bytes, 0, bytes.length);
                }
                stream.finish();
            }
        }
        return System.nanoTime() - start;
    }

    private static long read(BlockRig rig, int round, int mebibytes) throws Exception {
        byte[] bytes = new byte[128 << 10];
        long start = System.nanoTime();
        for (int number = 0; number * BLOCK_MIB < mebibytes; number++) {
            try (BlockReadStream stream =
                    rig.client.openReader(rig.target(0), block(round, number), Generation.FIRST, 0, Long.MAX_VALUE)) {
                while (stream.read(bytes, 0, bytes.length) >= 0) {
                    continue;
                }
            }
        }
        return System.nanoTime() - start;
    }
}
