package io.tatami.meta.service.sim;

import io.tatami.meta.service.host.SteppedWork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Faults at places that a plan names. Every message that is sent, every step that a group passes and every batch that
 * goes to a log is a place, numbered from 0 in the order in which they come; where all faults of a plan come before a
 * place, the run up to it is the same.
 */
final class PlannedFaults implements Faults {
    private static final long TRAVEL_MILLIS = 1;
    private static final long OVERTAKEN_MILLIS = 12;

    /** Longer than anybody waits for one answer. */
    private static final long LATE_MILLIS = 9_000;

    private final List<Fault> plan;
    private final List<Place> places = new ArrayList<>();
    private boolean on;

    private enum Place {
        MESSAGE,
        STEP,
        WRITE
    }

    /** What may go wrong at a place. */
    enum Kind {
        /** The message is lost, and its sender sees the connection break. */
        LOST(Place.MESSAGE),
        /** The message is lost, and its sender hears nothing. */
        SWALLOWED(Place.MESSAGE),
        /** It comes again soon, when others that were sent later are there. */
        TWICE(Place.MESSAGE),
        /** It comes again when all was answered long ago. */
        TWICE_LATE(Place.MESSAGE),
        /** Others that were sent later come before it. */
        OVERTAKEN(Place.MESSAGE),
        /** It comes when its sender does not wait for it any more. */
        LATE(Place.MESSAGE),
        /** The group crashes at the step. */
        CRASH(Place.STEP),
        /** The log fails, and the batch is there at the next start. */
        WRITTEN_AND_FAILED(Place.WRITE),
        /** The log fails, and the batch is not there. */
        LOST_AND_FAILED(Place.WRITE);

        private final Place place;

        Kind(Place place) {
            this.place = place;
        }

        private Delivery delivery() {
            return switch (this) {
                case LOST -> Delivery.lost(TRAVEL_MILLIS);
                case SWALLOWED -> Delivery.lost(-1);
                case TWICE -> Delivery.twice(TRAVEL_MILLIS, OVERTAKEN_MILLIS);
                case TWICE_LATE -> Delivery.twice(TRAVEL_MILLIS, LATE_MILLIS);
                case OVERTAKEN -> Delivery.in(OVERTAKEN_MILLIS);
                case LATE -> Delivery.in(LATE_MILLIS);
                case CRASH, WRITTEN_AND_FAILED, LOST_AND_FAILED ->
                    throw new IllegalArgumentException(this + " is nothing that a message does");
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
        for (int each = place; each < places.size(); each++) {
            int here = each;
            Arrays.stream(Kind.values())
                    .filter(kind -> kind.place == places.get(here))
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
            Kind planned = at(Place.MESSAGE);
            if (planned != null) {
                return planned.delivery();
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
        return on && at(Place.STEP) != null;
    }

    /** What is planned for the place that comes now. */
    private @Nullable Kind at(Place place) {
        int number = places.size();
        places.add(place);
        return plan.stream()
                .filter(fault -> fault.place() == number)
                .map(Fault::kind)
                .findFirst()
                .orElse(null);
    }

    @Override
    public boolean breaksConnection() {
        return true;
    }

    @Override
    public SteppedWork.Write write() {
        Kind planned = on ? at(Place.WRITE) : null;
        if (planned == null) {
            return SteppedWork.Write.DURABLE;
        }
        return planned == Kind.WRITTEN_AND_FAILED
                ? SteppedWork.Write.WRITTEN_AND_FAILED
                : SteppedWork.Write.LOST_AND_FAILED;
    }

    /** What goes wrong is between groups and clients. */
    @Override
    public boolean silencesBlockServer() {
        return false;
    }
}
