package io.tatami.base;

/** A replicated group: the namespace group, or one of the 1 to 256 shards. */
public record GroupId(int value) implements Comparable<GroupId> {
    /** The group that holds the directory tree and the cluster map. */
    public static final GroupId NAMESPACE = new GroupId(-1);

    /** More shards than any cluster can have. */
    public static final int SHARDS_MAX = 256;

    public GroupId {
        Check.check(value >= -1 && value < SHARDS_MAX, "group id %d is out of range", value);
    }

    public static GroupId ofShard(int shard) {
        Check.check(shard >= 0, "shard %d is negative", shard);
        return new GroupId(shard);
    }

    public boolean isNamespace() {
        return value == -1;
    }

    /** The number of this shard; only for shards. */
    public int shard() {
        Check.check(value >= 0, "the namespace group is no shard");
        return value;
    }

    @Override
    public int compareTo(GroupId other) {
        return Integer.compare(value, other.value);
    }

    @Override
    public String toString() {
        return isNamespace() ? "namespace" : "shard-" + value;
    }
}
