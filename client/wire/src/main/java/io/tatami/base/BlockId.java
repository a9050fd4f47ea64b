package io.tatami.base;

/**
 * A block, on every server that holds a copy of it. Minted by its home shard; never reused, not even after that shard
 * is restored from a backup. 0 stands for none.
 */
public record BlockId(long value) {
    public static final BlockId NONE = new BlockId(0);

    public BlockId {
        Check.check(value >= 0, "id %d is negative", value);
    }

    /** @see MintedId#of */
    public static BlockId of(int shard, int epoch, long counter) {
        return new BlockId(MintedId.of(shard, epoch, counter));
    }

    /** The shard that minted this id and keeps its record for life. */
    public GroupId home() {
        return GroupId.ofShard(MintedId.shard(value));
    }

    @Override
    public String toString() {
        return "b" + Long.toHexString(value);
    }
}
