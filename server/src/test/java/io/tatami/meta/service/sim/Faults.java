package io.tatami.meta.service.sim;

import io.tatami.meta.service.host.SteppedWork;
import java.util.List;

/** What goes wrong in a simulation, from {@link #begin} to {@link #heal}. */
interface Faults {
    /** Nothing goes wrong before this. */
    void begin();

    /** Nothing goes wrong after this. */
    void heal();

    /** What becomes of a message that is sent now. */
    Delivery delivery();

    /** What becomes of one that is sent over a link that is cut. */
    Delivery lost();

    /** Whether a group crashes that passes this step now. */
    boolean crashesAt(String step);

    /** Whether somebody who waits for a group that crashes sees the connection break, instead of nothing. */
    boolean breaksConnection();

    /** What becomes of a batch that a group's log is to write now. */
    SteppedWork.Write write();

    /** Whether a block server does not answer the call that comes to it now. */
    boolean silencesBlockServer();

    /**
     * A message on its way.
     *
     * @param arrivalsMillis in how many milliseconds it arrives, each time; none where it is lost
     * @param brokenMillis when the sender of a lost one sees the connection break; negative where it does not
     */
    record Delivery(List<Long> arrivalsMillis, long brokenMillis) {
        static Delivery in(long millis) {
            return new Delivery(List.of(millis), -1);
        }

        static Delivery twice(long millis, long againMillis) {
            return new Delivery(List.of(millis, againMillis), -1);
        }

        static Delivery lost(long brokenMillis) {
            return new Delivery(List.of(), brokenMillis);
        }
    }
}
