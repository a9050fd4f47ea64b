package io.tatami.benchmarks.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** In which order Tatami and the peer it is compared with have their turns: a random one in each round. */
public final class PeerOrder {
    private final List<String> peers = new ArrayList<>();
    private final Random random;

    /** @param versus the other's name; empty for none */
    public PeerOrder(String versus, long seed) {
        peers.add("tatami");
        if (!versus.isEmpty()) {
            peers.add(versus);
        }
        // Small seeds give java.util.Random the same first draws.
        random = new Random(new SplittableRandom(seed).nextLong());
    }

    /** The order of the next round. */
    public List<String> next() {
        Collections.shuffle(peers, random);
        return List.copyOf(peers);
    }
}
