package io.tatami.server.status;

import io.tatami.protocol.wire.BlockHealthCounts;
import java.util.ArrayList;
import java.util.List;

/** Blocks by their health, in words that checks and statuses share. */
final class HealthText {
    private HealthText() {}

    static String states(BlockHealthCounts counts) {
        return counts.getHealthy() + " healthy, " + counts.getUnderReplicated() + " under-replicated, "
                + counts.getOverReplicated() + " over-replicated, " + counts.getMisreplicated() + " mis-replicated, "
                + counts.getDamaged() + " damaged, " + counts.getMissing() + " missing, " + counts.getUnknown()
                + " unknown, " + counts.getOpen() + " being written";
    }

    /** What the states do not say, a line each. */
    static List<String> notes(BlockHealthCounts counts) {
        List<String> notes = new ArrayList<>();
        if (counts.getLastCopy() > 0) {
            notes.add(counts.getLastCopy() + " blocks of several copies have one left that can be read: one more"
                    + " failure loses them");
        }
        if (counts.getWithDamagedCopy() > 0) {
            notes.add(counts.getWithDamagedCopy() + " blocks have a damaged copy");
        }
        if (counts.getBeyondHosts() > 0) {
            notes.add(counts.getBeyondHosts() + " blocks of files that ask for more copies than there are hosts: "
                    + counts.getCopiesBeyondHosts() + " copies wait for further hosts");
        }
        return notes;
    }
}
