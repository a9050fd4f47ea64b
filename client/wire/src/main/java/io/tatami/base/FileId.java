package io.tatami.base;

/**
 * A file, from its creation to its reclamation, through every rename. Minted by its home shard; never reused, not even
 * after that shard is restored from a backup. 0 stands for none.
 */
public record FileId(long value) {
    public static final FileId NONE = new FileId(0);

    public FileId {
        Check.check(value >= 0, "id %d is negative", value);
    }

    /** @see MintedId#of */
    public static FileId of(int shard, int epoch, long counter) {
        return new FileId(MintedId.of(shard, epoch, counter));
    }

    /** The shard that minted this id and keeps its record for life. */
    public GroupId home() {
        return GroupId.ofShard(MintedId.shard(value));
    }

    @Override
    public String toString() {
        return "f" + Long.toHexString(value);
    }
}
