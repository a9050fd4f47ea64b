package io.tatami.base;

/** A block server, given at its registration and never reused; 0 stands for none. */
public record ServerId(int value) {
    public static final ServerId NONE = new ServerId(0);

    public ServerId {
        Check.check(value >= 0, "server id %d is negative", value);
    }

    @Override
    public String toString() {
        return "s" + value;
    }
}
