package io.tatami.meta.service.sim;

import io.tatami.meta.service.host.SteppedWork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Faults at places that a plan names. Every message that is sent and every step that a group passes is a place,
 * numbered from 0 in the order in which they come; where all faults of a plan come before a place, the run up to it is
 * the same.
 */
final class PlannedFaults implements Faults {
    private static final long TRAVEL_MILLIS = 1;
    private static final long OVERTAKEN_MILLIS = 12;

    /** Longer than anybody waits for one answer. */
    private static final long LATE_MILLIS = 9_000;

    private final List<Fault> plan;
    private final List<Boolean> stepAt = new ArrayList<>();
    private boolean on;

    /** What may go wrong at a place. */
    enum Kind {
        /** The message is lost, and its sender sees the connection break. */
        LOST,
        /** The message is lost, and its sender hears nothing. */
        SWALLOWED,
        /** It comes again soon, when others that were sent later are there. */
        TWICE,
        /** It comes again when all was answered long ago. */
        TWICE_LATE,
        /** Others that were sent later come before it. */
        OVERTAKEN,
        /** It comes when its sender does not wait for it any more. */
        LATE,
        /** The group crashes at the step. */
        CRASH;

        private Delivery delivery() {
            return switch (this) {
                case LOST -> Delivery.lost(TRAVEL_MILLIS);
                case SWALLOWED -> Delivery.lost(-1);
                case TWICE -> Delivery.twice(TRAVEL_MILLIS, OVERTAKEN_MILLIS);
                case TWICE_LATE -> Delivery.twice(TRAVEL_MILLIS, LATE_MILLIS);
                case OVERTAKEN -> Delivery.in(OVERTAKEN_MILLIS);
                case LATE -> Delivery.in(LATE_MILLIS);
                case CRASH -> throw new IllegalArgumentException("a message does not crash");
            };
        }
    }

    /** What goes wrong where. */
    record Fault(int place, Kind kind) {
        @Override
        public String toString() {
            return place + ":" + kind;
        }

        static Fault parse(String text) {
            String[] parts = text.split(":", -1);
            return new Fault(Integer.parseInt(parts[0]), Kind.valueOf(parts[1]));
        }
    }

    PlannedFaults(List<Fault> plan) {
        this.plan = plan;
    }

    /** Every fault that there could have been from {@code place} on in the run that went by. */
    List<Fault> possibleFrom(int place) {
        List<Fault> possible = new ArrayList<>();
        for (int each = place; each < stepAt.size(); each++) {
            int here = each;
            boolean isStep = stepAt.get(each);
            Arrays.stream(Kind.values())
                    .filter(kind -> (kind == Kind.CRASH) == isStep)
                    .forEach(kind -> possible.add(new Fault(here, kind)));
        }
        return possible;
    }

    @Override
    public void begin() {
        on = true;
    }

    @Override
    public void heal() {
        on = false;
    }

    @Override
    public Delivery delivery() {
        if (on) {
            int place = stepAt.size();
            stepAt.add(false);
            for (Fault fault : plan) {
                if (fault.place() == place) {
                    return fault.kind().delivery();
                }
            }
        }
        return Delivery.in(TRAVEL_MILLIS);
    }

    @Override
    public Delivery lost() {
        return Delivery.lost(TRAVEL_MILLIS);
    }

    @Override
    public boolean crashesAt(String step) {
        if (!on) {
            return false;
        }
        Fault here = new Fault(stepAt.size(), Kind.CRASH);
        stepAt.add(true);
        return plan.contains(here);
    }

    @Override
    public boolean breaksConnection() {
        return true;
    }

    /** Steps after which nobody is answered are crashes. */
    @Override
    public SteppedWork.Write write() {
        return SteppedWork.Write.DURABLE;
    }

    /** What goes wrong is between groups and clients. */
    @Override
    public boolean silencesBlockServer() {
        return false;
    }
}
