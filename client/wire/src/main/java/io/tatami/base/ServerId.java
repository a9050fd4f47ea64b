package io.tatami.base;

import java.util.ArrayList;
import java.util.List;

/** A block server, given at its registration and never reused; 0 stands for none. */
public record ServerId(int value) implements Comparable<ServerId> {
    public static final ServerId NONE = new ServerId(0);

    public ServerId {
        Check.check(value >= 0, "server id %d is negative", value);
    }

    /** The servers that a message names, in its order; what cannot be a server's id is left out. */
    public static List<ServerId> listOf(List<Integer> named) {
        List<ServerId> servers = new ArrayList<>(named.size());
        for (int value : named) {
            if (value > NONE.value) {
                servers.add(new ServerId(value));
            }
        }
        return servers;
    }

    @Override
    public int compareTo(ServerId other) {
        return Integer.compare(value, other.value);
    }

    @Override
    public String toString() {
        return "s" + value;
    }
}
