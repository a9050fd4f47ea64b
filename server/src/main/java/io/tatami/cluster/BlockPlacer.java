package io.tatami.cluster;

import io.tatami.base.ServerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses the servers of a new block: the writer's own host first, then another rack than those chosen so far where
 * there is one, and within that by weighted rendezvous hashing (Schindelhauer and Schomaker 2005), so that servers fill
 * up in proportion to the room they have. Pure: the same input gives the same servers.
 */
public final class BlockPlacer {
    private BlockPlacer() {}

    /**
     * A server that can take a block.
     *
     * @param host the name that tasks are scheduled by
     */
    public record Candidate(ServerId server, String host, String rack, long freeBytes) {}

    /**
     * The servers for one block, nearest to the writer first; fewer than {@code copies} where there are not so many
     * candidates.
     *
     * @param clientHost where the writer runs; empty where unknown
     * @param seed differs from block to block
     */
    public static List<ServerId> place(List<Candidate> candidates, String clientHost, int copies, long seed) {
        List<Candidate> left = new ArrayList<>(candidates);
        left.sort(Comparator.comparingDouble((Candidate candidate) -> -score(candidate, seed))
                .thenComparing(candidate -> candidate.server().value()));
        List<Candidate> chosen = new ArrayList<>(copies);
        while (chosen.size() < copies && !left.isEmpty()) {
            Candidate next = chosen.isEmpty() ? nearest(left, clientHost) : farthest(left, chosen);
            left.remove(next);
            chosen.add(next);
        }
        return chosen.stream().map(Candidate::server).toList();
    }

    private static Candidate nearest(List<Candidate> best, String clientHost) {
        for (Candidate candidate : best) {
            if (!clientHost.isEmpty() && candidate.host().equalsIgnoreCase(clientHost)) {
                return candidate;
            }
        }
        return best.get(0);
    }

    private static Candidate farthest(List<Candidate> best, List<Candidate> chosen) {
        for (Candidate candidate : best) {
            if (chosen.stream().noneMatch(other -> other.rack().equals(candidate.rack()))) {
                return candidate;
            }
        }
        return best.get(0);
    }

    /** Higher is better; a server's chance of the highest is proportional to its room. */
    private static double score(Candidate candidate, long seed) {
        long hash = mix(seed * 0x9e3779b97f4a7c15L + candidate.server().value());
        double uniform = ((hash >>> 11) + 0.5) * 0x1.0p-53;
        return -Math.max(1, candidate.freeBytes()) / StrictMath.log(uniform);
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
