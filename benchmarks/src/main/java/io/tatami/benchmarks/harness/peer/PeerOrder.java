package io.tatami.benchmarks.harness.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** In which order peers have their turns: a random one in each round. */
public final class PeerOrder {
    private final List<String> peers;
    private final Random random;

    public PeerOrder(List<String> peers, Random random) {
        this.peers = new ArrayList<>(peers);
        this.random = random;
    }

    /** How many turns a round has. */
    public int size() {
        return peers.size();
    }

    /** The order of the next round. */
    public List<String> next() {
        Collections.shuffle(peers, random);
        return List.copyOf(peers);
    }
}
