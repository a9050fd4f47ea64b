package io.tatami.block.volume.space;

import java.util.SplittableRandom;

/**
 * What is written on a volume of a simulated week, and for how long it is kept.
 *
 * <p>A file system of Hadoop's holds some long files with nearly all bytes (tables, job inputs), outputs of tasks that
 * end somewhere in their first block, and crowds of small files (markers, indices, configurations). So three of ten
 * streamed files have 256 MiB to 16 GiB and with them 95 % of the bytes, and seven end before their first block does;
 * one in five of the blocks that are streamed ends short, and as many blocks again are short from the start. Within
 * each kind the lengths are spread evenly over their logarithm, so that an allocator cannot profit from any favourite
 * length.
 *
 * <p>Half of the files are scratch and live for hours, most others until a run of the next days replaces them, and a
 * tenth for months; how long has nothing to do with how large. At twelve writers of 1 to 20 MiB/s, the volume's content
 * is written more than five times in a week.
 */
final class ChurnMix {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final double HOUR_SECONDS = 3_600;

    private final SplittableRandom random;

    ChurnMix(SplittableRandom random) {
        this.random = random;
    }

    /** A file whose writer does not know how long it gets. */
    long streamedBytes() {
        return random.nextInt(100) < 30 ? logUniform(256 * MIB, 16_384 * MIB) : logUniform(4 * MIB, 256 * MIB);
    }

    /** A block whose short length is known before it begins: small ones, and some of middling length. */
    long packedBytes() {
        return random.nextInt(100) < 90 ? logUniform(16 * KIB, MIB) : logUniform(MIB, 64 * MIB);
    }

    double lifeSeconds() {
        int kind = random.nextInt(100);
        double meanHours = kind < 50 ? 6 : kind < 90 ? 60 : 2_000;
        return exponential(meanHours * HOUR_SECONDS);
    }

    /** By which a task produces a file. */
    double bytesPerSecond() {
        return logUniform(MIB, 20 * MIB);
    }

    /** Between two files of one writer. */
    double pauseSeconds() {
        return exponential(20);
    }

    /** Between two packed blocks. */
    double packedPauseSeconds() {
        return exponential(6);
    }

    private double exponential(double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }

    private long logUniform(long least, long most) {
        return Math.round(least * Math.exp(random.nextDouble() * Math.log((double) most / least)));
    }
}
