package io.tatami.seed;

import java.util.HexFormat;
import java.util.Random;

/** The seed of a test: what {@code -Dtatami.test.seed} says, or drawn. It is printed, to replay the test with. */
public final class TestSeed {
    private TestSeed() {}

    public static long draw() {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL);
        System.out.println("replay with -Dtatami.test.seed=" + seed);
        return seed;
    }

    /** One that begins with the seed. */
    public static Random random() {
        return new Random(draw());
    }

    /** Bytes that cannot be compressed, in hexadecimal digits: twice as many. */
    public static String noise(Random random, int bytes) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return HexFormat.of().formatHex(noise);
    }
}
