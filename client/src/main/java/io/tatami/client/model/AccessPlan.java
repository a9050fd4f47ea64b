package io.tatami.client.model;

import io.tatami.base.Check;
import io.tatami.protocol.RequestLimits;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * What will be read, in order, so that block servers with a cache tier stage it before it is asked for. A hint: nothing
 * is promised, and nothing depends on it.
 *
 * @param id by which servers know the plan; must be new, or that of a plan that was cancelled
 * @param reads in the order in which they will be read
 * @param releaseAfterRead a copy is given up once it was read, rather than when its room is needed
 * @param windowBytes how much each server may stage ahead of its readers; 0 for as much as it gives one plan
 * @param keep the plan is forgotten when for so long nothing of it was read and nobody asked for it
 */
public record AccessPlan(UUID id, List<Read> reads, boolean releaseAfterRead, long windowBytes, Duration keep) {
    /** How long a plan is kept unless something else is said. */
    public static final Duration KEEP = Duration.ofHours(1);

    public AccessPlan {
        reads = List.copyOf(reads);
        Check.check(windowBytes >= 0 && keep.toMillis() > 0, "a window of %d bytes kept %s", windowBytes, keep);
    }

    /** A new plan: copies stay after they were read, and servers give it their own share of room. */
    public static AccessPlan inOrder(List<Read> reads) {
        return new AccessPlan(UUID.randomUUID(), reads, false, 0, KEEP);
    }

    public static AccessPlan inOrder(Read... reads) {
        return inOrder(List.of(reads));
    }

    /** For what is read once. */
    public AccessPlan withReleaseAfterRead() {
        return new AccessPlan(id, reads, true, windowBytes, keep);
    }

    public AccessPlan withWindowBytes(long bytes) {
        return new AccessPlan(id, reads, releaseAfterRead, bytes, keep);
    }

    public AccessPlan withKeep(Duration time) {
        return new AccessPlan(id, reads, releaseAfterRead, windowBytes, time);
    }

    /**
     * By what the owner and superusers may know the plan: the path that is read first, and how many others are. At most
     * {@value RequestLimits#PLAN_ABOUT_BYTES} bytes in UTF-8, of which the path gets what is left.
     */
    public String about() {
        if (reads.isEmpty()) {
            return "";
        }
        long others = reads.stream().map(Read::path).distinct().count() - 1;
        String end = others == 0 ? "" : " and " + others + " more";
        String first = reads.get(0).path().toString();
        return Utf8.beginning(first, RequestLimits.PLAN_ABOUT_BYTES - end.length())
                        .toStringUtf8()
                + end;
    }

    /**
     * How far a plan is, over all block servers, in bytes of whole 4 MiB units.
     *
     * @param plannedBytes what servers with a cache tier have to stage
     * @param remainingBytes of these, neither staged nor read nor given up yet
     * @param waitingBytes staged and not read yet
     * @param readBytes passed by readers
     * @param lateBytes of these, the bytes that were asked for before they were staged
     * @param failedBytes could not be staged: files being written, failed disks
     */
    public record Progress(
            long plannedBytes,
            long remainingBytes,
            long waitingBytes,
            long readBytes,
            long lateBytes,
            long failedBytes) {
        /** The sum of two servers' progress. */
        public Progress plus(Progress other) {
            return new Progress(
                    plannedBytes + other.plannedBytes,
                    remainingBytes + other.remainingBytes,
                    waitingBytes + other.waitingBytes,
                    readBytes + other.readBytes,
                    lateBytes + other.lateBytes,
                    failedBytes + other.failedBytes);
        }
    }

    /**
     * One of the reads.
     *
     * @param lengthBytes may go beyond the end of the file
     */
    public record Read(TatamiPath path, long offsetBytes, long lengthBytes) {
        public Read {
            Check.check(offsetBytes >= 0 && lengthBytes >= 0, "%d bytes at %d", lengthBytes, offsetBytes);
        }

        public static Read whole(TatamiPath path) {
            return new Read(path, 0, Long.MAX_VALUE);
        }
    }
}
