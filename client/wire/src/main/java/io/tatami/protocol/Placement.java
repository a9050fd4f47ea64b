package io.tatami.protocol;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import java.nio.charset.StandardCharsets;

/**
 * Which shard owns a name: {@code (jump(directory) + hash(name) mod spread) mod shards}. The result is part of the
 * stored format: a change moves every entry of every cluster.
 */
public final class Placement {
    private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private Placement() {}

    /**
     * The shard that owns {@code name} in {@code directory}.
     *
     * @param spread over how many shards the directory's entries are divided, a power of two up to {@code shards}
     */
    public static GroupId shardOf(DirectoryId directory, byte[] nameUtf8, int spread, int shards) {
        int step = spread == 1 ? 0 : (int) (nameHash(nameUtf8) & (spread - 1));
        return GroupId.ofShard((firstShardOf(directory, shards) + step) % shards);
    }

    /** {@link #shardOf(DirectoryId, byte[], int, int)} for a name as text. */
    public static GroupId shardOf(DirectoryId directory, String name, int spread, int shards) {
        return shardOf(directory, name.getBytes(StandardCharsets.UTF_8), spread, shards);
    }

    /** The first of the {@code spread} consecutive shards (modulo {@code shards}) that hold a directory's entries. */
    public static int firstShardOf(DirectoryId directory, int shards) {
        return jumpHash(mix(directory.value()), shards);
    }

    /** FNV-1a over the bytes, then mixed so that the low bits depend on all of them. */
    public static long nameHash(byte[] nameUtf8) {
        long hash = FNV_OFFSET_BASIS;
        for (byte b : nameUtf8) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    /**
     * Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (2014): a bucket in {@code [0, buckets)};
     * when buckets grow from n to n + 1 only 1/(n + 1) of the keys move.
     */
    public static int jumpHash(long key, int buckets) {
        Check.check(buckets > 0, "%d buckets", buckets);
        long state = key;
        long bucket = -1;
        long next = 0;
        while (next < buckets) {
            bucket = next;
            state = state * 2862933555777941757L + 1;
            next = (long) ((bucket + 1) * ((double) (1L << 31) / (double) ((state >>> 33) + 1)));
        }
        return (int) bucket;
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
    private static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
