package io.tatami.block.service.write;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which volume a new block goes to. Of those that have a free run of all that is wanted it is the one with the fewest
 * blocks being written, so that writers that begin together use all disks, and of these the one with the most free
 * room. Where none has such a run, it is the one with the longest. One that hangs is taken only where there is no
 * other.
 */
final class VolumeChoice {
    private VolumeChoice() {}

    /**
     * A volume as it was when a place for a block was looked for.
     *
     * @param writers blocks that are being written there
     * @param longestRunBytes of its free room
     */
    record Candidate<V>(V volume, boolean hangs, int writers, long freeBytes, long longestRunBytes) {
        private boolean hasRun(long bytes) {
            return longestRunBytes >= bytes;
        }
    }

    /** The best for a block of {@code wantedBytes}; of equal ones the first. Empty where there is none. */
    static <V> Optional<V> best(List<Candidate<V>> candidates, long wantedBytes) {
        Comparator<Candidate<V>> byHang = Comparator.comparing(Candidate::hangs);
        return candidates.stream()
                .min(byHang.thenComparing(candidate -> !candidate.hasRun(wantedBytes))
                        .thenComparingInt(candidate -> candidate.hasRun(wantedBytes) ? candidate.writers() : 0)
                        .thenComparingLong(candidate ->
                                candidate.hasRun(wantedBytes) ? -candidate.freeBytes() : -candidate.longestRunBytes()))
                .map(Candidate::volume);
    }
}
