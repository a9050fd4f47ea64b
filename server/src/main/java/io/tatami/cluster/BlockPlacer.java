package io.tatami.cluster;

import io.tatami.base.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Chooses the servers of a block by HDFS's rule: the writer's own host first, then a server in another rack, then one
 * more in that rack, and any further ones in the racks with the fewest copies. No host gets a second copy while there
 * is a host without one. Within that the choice is by weighted rendezvous hashing (Schindelhauer and Schomaker 2005),
 * so that servers fill up in proportion to the room they have. Where servers have writers, the one with the fewest for
 * its room comes first, and chance decides among equals only. Pure: the same input gives the same servers.
 */
public final class BlockPlacer {
    /** Refused candidates after which all others are asked at once, so that each refusal does not cost a pass. */
    private static final int REFUSALS_MAX = 8;

    /** The score of a candidate that is chosen or refused; all others are above it. */
    private static final double OUT = 0;

    /** A copy on the same host is worse than any number of them in the same rack. */
    private static final int HOST_WEIGHT = 1 << 16;

    /**
     * How much one writer counts against the exponential variate of mean 1 by which idle servers are chosen: a server
     * with one writer more than another of the same room comes first once in 6,000 times.
     */
    private static final int WRITER_WEIGHT = 8;

    private BlockPlacer() {}

    /**
     * A server that can take a block.
     *
     * @param host the name that tasks are scheduled by
     */
    public record Candidate(ServerId server, String host, String rack, long freeBytes) {}

    /** As the other, where no server has writers. */
    public static List<ServerId> place(
            List<Candidate> candidates, Predicate<Candidate> isUsable, String clientHost, int copies, long seed) {
        return place(candidates, isUsable, server -> 0, clientHost, copies, seed);
    }

    /**
     * The servers for one block, nearest to the writer first; fewer than {@code copies} where there are not so many
     * usable candidates. Scores each candidate once and then passes over the scores once a copy; this runs on a group's
     * thread, for a cluster of thousands of servers.
     *
     * @param isUsable asked of a candidate when it would be chosen, as the answer may cost more than its score; at most
     *     once of each candidate
     * @param writers how many write streams a server has
     * @param clientHost the host of the writer; empty where unknown
     * @param seed differs from block to block
     */
    public static List<ServerId> place(
            List<Candidate> candidates,
            Predicate<Candidate> isUsable,
            ToIntFunction<ServerId> writers,
            String clientHost,
            int copies,
            long seed) {
        return choose(
                List.of(),
                candidates,
                isUsable,
                new Rule(clientHost, false),
                copies,
                scores(candidates, writers, seed));
    }

    /**
     * Servers for further copies of a block, as {@link #place} chooses them.
     *
     * @param present servers that have copies, those of the rule's first copies first; none of them is among the
     *     candidates
     */
    public static List<ServerId> placeBeside(
            List<Candidate> present,
            List<Candidate> candidates,
            Predicate<Candidate> isUsable,
            ToIntFunction<ServerId> writers,
            String clientHost,
            int copies,
            long seed) {
        return choose(
                present, candidates, isUsable, new Rule(clientHost, false), copies, scores(candidates, writers, seed));
    }

    /**
     * Servers for copies of a block that are made again, as {@link #place} chooses them, but that a third copy beside
     * two in different racks goes to any rack: by the rule it would go to that of the second, so of what a dead server
     * had, the few others of its rack would get two thirds.
     *
     * @param present servers that have copies; none of them is among the candidates
     */
    public static List<ServerId> placeAgain(
            List<Candidate> present, List<Candidate> candidates, int copies, long seed) {
        double[] scores = scores(candidates, server -> 0, seed);
        return choose(present, candidates, candidate -> true, new Rule("", true), copies, scores);
    }

    private static List<ServerId> choose(
            List<Candidate> present,
            List<Candidate> candidates,
            Predicate<Candidate> isUsable,
            Rule rule,
            int copies,
            double[] scores) {
        List<Candidate> chosen = new ArrayList<>(present);
        int refusals = 0;
        while (chosen.size() < present.size() + copies) {
            int best = best(candidates, scores, rule, chosen);
            if (best < 0) {
                break;
            }
            scores[best] = OUT;
            if (refusals >= REFUSALS_MAX || isUsable.test(candidates.get(best))) {
                chosen.add(candidates.get(best));
            } else if (++refusals == REFUSALS_MAX) {
                dropUnusable(candidates, isUsable, scores);
            }
        }
        return chosen.stream().skip(present.size()).map(Candidate::server).toList();
    }

    private static void dropUnusable(List<Candidate> candidates, Predicate<Candidate> isUsable, double[] scores) {
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] != OUT && !isUsable.test(candidates.get(i))) {
                scores[i] = OUT;
            }
        }
    }

    /** The index of the candidate that suits best, and of those the one with the highest score; -1 for none. */
    private static int best(List<Candidate> candidates, double[] scores, Rule rule, List<Candidate> chosen) {
        int best = -1;
        int bestMisfit = Integer.MAX_VALUE;
        for (int i = 0; i < scores.length; i++) {
            boolean isHigher = isHigher(candidates, scores, i, best);
            if (scores[i] == OUT || (bestMisfit == 0 && !isHigher)) {
                continue;
            }
            int misfit = rule.misfit(candidates.get(i), chosen);
            if (misfit < bestMisfit || (misfit == bestMisfit && isHigher)) {
                best = i;
                bestMisfit = misfit;
            }
        }
        return best;
    }

    private static boolean isHigher(List<Candidate> candidates, double[] scores, int index, int than) {
        if (scores[index] == OUT) {
            return false;
        }
        if (than < 0 || scores[index] != scores[than]) {
            return than < 0 || scores[index] > scores[than];
        }
        return candidates.get(index).server().value()
                < candidates.get(than).server().value();
    }

    /**
     * Where the next copy belongs.
     *
     * @param clientHost the host of the writer; empty where unknown
     * @param thirdAnywhere a third copy beside two racks goes to any rack, not to that of the second
     */
    private record Rule(String clientHost, boolean thirdAnywhere) {
        /** How far a candidate is from there; 0 where the copy belongs to it. */
        int misfit(Candidate candidate, List<Candidate> chosen) {
            if (chosen.isEmpty()) {
                return clientHost.isEmpty() || candidate.host().equalsIgnoreCase(clientHost) ? 0 : 1;
            }
            int inRack = 0;
            int onHost = 0;
            for (Candidate other : chosen) {
                inRack += other.rack().equals(candidate.rack()) ? 1 : 0;
                onHost += other.host().equals(candidate.host()) ? 1 : 0;
            }
            return onHost * HOST_WEIGHT + rackMisfit(candidate, chosen, inRack);
        }

        private int rackMisfit(Candidate candidate, List<Candidate> chosen, int inRack) {
            if (chosen.size() != 2 || chosen.get(0).rack().equals(chosen.get(1).rack())) {
                return inRack;
            }
            return thirdAnywhere || candidate.rack().equals(chosen.get(1).rack()) ? 0 : 1;
        }
    }

    private static double[] scores(List<Candidate> candidates, ToIntFunction<ServerId> writers, long seed) {
        double[] scores = new double[candidates.size()];
        for (int i = 0; i < scores.length; i++) {
            Candidate candidate = candidates.get(i);
            scores[i] = score(candidate, writers.applyAsInt(candidate.server()), seed);
        }
        return scores;
    }

    /**
     * Higher is better; an idle server's chance of the highest is proportional to its room, and the room that each
     * writer has to itself decides among busy ones.
     */
    private static double score(Candidate candidate, int writers, long seed) {
        long hash = mix(seed * 0x9e3779b97f4a7c15L + candidate.server().value());
        double uniform = ((hash >>> 11) + 0.5) * 0x1.0p-53;
        double variate = (double) WRITER_WEIGHT * writers - StrictMath.log(uniform);
        return Math.max(1, candidate.freeBytes()) / variate;
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
