package io.tatami.rpc.netty.client;

import io.tatami.rpc.netty.shared.EventLoops;

/** Event loops that a client has while it has connections. Used by one client, under its lock. */
interface LoopShare {
    /** Makes the threads where nobody else has them; followed by {@link #giveBack}. */
    EventLoops take();

    /** Ends the threads where nobody else has them. */
    void giveBack();

    /** Loops that somebody else ends. */
    static LoopShare of(EventLoops loops) {
        return new LoopShare() {
            @Override
            public EventLoops take() {
                return loops;
            }

            @Override
            public void giveBack() {
                // They stay with whoever made them.
            }
        };
    }
}
