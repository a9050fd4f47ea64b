package io.tatami.meta.service.copies;

import io.tatami.cluster.BlockHealth;
import io.tatami.meta.op.copies.HealthCounts;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.protocol.wire.BlockHealthCounts;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The health of the blocks that wait, as the leader found it in its last sweep over each class: so a status tells it
 * without a look at any block. Of a class that was not swept over yet, what was found so far. Safe for use by many
 * threads.
 */
final class WaitingHealth {
    private final Map<Urgency, HealthCounts> found = new EnumMap<>(Urgency.class);
    private final Map<Urgency, BlockHealthCounts> last = new EnumMap<>(Urgency.class);

    /** A block goes on waiting. */
    synchronized void add(Urgency urgency, BlockHealth health) {
        found.computeIfAbsent(urgency, none -> new HealthCounts()).add(health);
    }

    /** All blocks of the class were looked at. */
    synchronized void sweepEnds(Urgency urgency) {
        HealthCounts counts = found.remove(urgency);
        last.put(urgency, counts == null ? BlockHealthCounts.getDefaultInstance() : counts.build());
    }

    /** One for each class. */
    synchronized List<BlockHealthCounts> counts() {
        List<BlockHealthCounts> counts = new ArrayList<>();
        for (Urgency urgency : Urgency.values()) {
            BlockHealthCounts swept = last.get(urgency);
            HealthCounts begun = found.get(urgency);
            if (swept != null) {
                counts.add(swept);
            } else if (begun != null) {
                counts.add(begun.build());
            }
        }
        return counts;
    }
}
