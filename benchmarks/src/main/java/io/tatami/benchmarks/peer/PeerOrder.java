package io.tatami.benchmarks.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** In which order peers have their turns: a random one in each round. */
public final class PeerOrder {
    private final List<String> peers;
    private final Random random;

    public PeerOrder(List<String> peers, long seed) {
        this.peers = new ArrayList<>(peers);
        // Small seeds give java.util.Random the same first draws.
        this.random = new Random(new SplittableRandom(seed).nextLong());
    }

    /** The order of the next round. */
    public List<String> next() {
        Collections.shuffle(peers, random);
        return List.copyOf(peers);
    }
}
