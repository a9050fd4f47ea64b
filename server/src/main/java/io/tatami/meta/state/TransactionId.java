package io.tatami.meta.state;

/**
 * A rename from one shard to another, given by its destination and never reused. Rises within a shard and is no other
 * shard's. 0 stands for none.
 */
public record TransactionId(long value) {
    @Override
    public String toString() {
        return "t" + Long.toUnsignedString(value);
    }
}
