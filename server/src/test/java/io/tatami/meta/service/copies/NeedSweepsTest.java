package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.ManualClock;
import io.tatami.meta.state.Needs.Urgency;
import org.junit.jupiter.api.Test;

final class NeedSweepsTest {
    private final ManualClock clock = new ManualClock();
    private final NeedSweeps sweeps = new NeedSweeps(clock);

    @Test
    void blocksThatASweepHadPassedWhenServersChangedAreLookedAtAfterIt() {
        sweeps.servers("one server", "");
        passAllBut(Urgency.UNSCHEDULABLE);
        sweeps.advance(Urgency.UNSCHEDULABLE, 100, false, false, 100);
        sweeps.servers("two servers", "");
        passAllBut(Urgency.UNSCHEDULABLE);
        sweeps.advance(Urgency.UNSCHEDULABLE, 200, false, true, 100);
        assertNull(sweeps.nextDue());

        clock.advance(NeedSweeps.PAUSE_MIN);
        passAllBut(Urgency.UNSCHEDULABLE);
        assertEquals(Urgency.UNSCHEDULABLE, sweeps.nextDue());
        assertEquals(0, sweeps.cursor(Urgency.UNSCHEDULABLE));

        sweeps.advance(Urgency.UNSCHEDULABLE, 200, false, true, 200);
        clock.advance(NeedSweeps.UNSCHEDULABLE_PAUSE_MAX.minusSeconds(1));
        passAllBut(Urgency.UNSCHEDULABLE);
        assertNull(sweeps.nextDue());
    }

    /** The other classes are empty. */
    private void passAllBut(Urgency left) {
        for (Urgency urgency : Urgency.values()) {
            if (urgency != left) {
                sweeps.advance(urgency, 0, false, true, 0);
            }
        }
    }
}
