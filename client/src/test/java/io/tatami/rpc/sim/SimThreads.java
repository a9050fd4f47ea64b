package io.tatami.rpc.sim;

import io.tatami.base.Check;
import io.tatami.base.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads for code that blocks, of which one runs at a time: the events of a {@link SimTime} may wait. A thread whose
 * event waits gives its turn to another, which lets further events happen, and gets it back when what it waits for is
 * there. Who has the turn when depends on the events alone, so that a run with threads depends on nothing but its seed.
 */
public final class SimThreads {
    /** Threads of all simulations of a JVM; each ends when nobody needed it for a while. */
    private static final ExecutorService POOL = Executors.newCachedThreadPool(Threads.daemons("simulation"));

    private final SimTime time;
    private final List<Waiter> waiters = new ArrayList<>();
    private final Deque<Turn> idle = new ArrayDeque<>();
    private boolean running;
    private boolean ended;
    private @Nullable Throwable bug;

    /** The thread that began the simulation, and hears of a bug. */
    private @Nullable Waiter first;

    /** Gets the turn of a thread that ends, once the simulation has ended. */
    private @Nullable Turn afterwards;

    SimThreads(SimTime time) {
        this.time = time;
    }

    /** Thrown out of every wait when the simulation has ended: no code is to catch it. */
    private static final class SimulationEnded extends Error {
        private static final long serialVersionUID = 1;

        SimulationEnded() {
            super("the simulation has ended", null, false, false);
        }
    }

    /** One thread's right to run. */
    private static final class Turn {
        private final Thread thread = Thread.currentThread();
        private volatile boolean given;

        void give() {
            given = true;
            LockSupport.unpark(thread);
        }

        void await() {
            while (!given) {
                LockSupport.park(this);
            }
            given = false;
        }
    }

    /** A thread that waits. */
    private static final class Waiter {
        private final Turn turn = new Turn();
        private final BooleanSupplier isOver;
        private boolean isLate;

        Waiter(BooleanSupplier isOver) {
            this.isOver = isOver;
        }

        boolean isReady() {
            return isLate || isOver.getAsBoolean();
        }
    }

    /** Whether events may wait now. */
    boolean isRunning() {
        return running;
    }

    /**
     * Lets events happen until {@code done}, and {@code nanos} at most; the calling thread begins the simulation.
     *
     * @return whether it is done
     * @throws IllegalStateException on an exception of an event
     */
    public boolean run(BooleanSupplier done, long nanos) {
        Check.check(!running && !ended, "a simulation in a simulation");
        running = true;
        try {
            Waiter waiter = new Waiter(() -> bug != null || done.getAsBoolean());
            first = waiter;
            return await(waiter, nanos);
        } finally {
            running = false;
            throwBug();
        }
    }

    private void throwBug() {
        Throwable thrown = bug;
        if (thrown != null) {
            bug = null;
            throw new IllegalStateException("at " + time.monotonicNanos() + " ns: " + thrown, thrown);
        }
    }

    /** Ends the simulation: every wait that is left throws. */
    public void end() {
        Check.check(!running, "a simulation that runs is not ended");
        ended = true;
        Turn own = new Turn();
        afterwards = own;
        while (!waiters.isEmpty()) {
            waiters.remove(waiters.size() - 1).turn.give();
            own.await();
        }
        while (!idle.isEmpty()) {
            idle.remove().give();
            own.await();
        }
    }

    /**
     * Waits, while other threads go on and time passes.
     *
     * @return whether it is over, rather than the time
     */
    public boolean await(BooleanSupplier isOver, long nanos) {
        if (ended) {
            throw new SimulationEnded();
        }
        return isOver.getAsBoolean() || await(new Waiter(isOver), nanos);
    }

    private boolean await(Waiter waiter, long nanos) {
        if (nanos < Long.MAX_VALUE) {
            time.after(Math.max(0, nanos), () -> waiter.isLate = true);
        }
        waiters.add(waiter);
        Turn next = idle.poll();
        if (next == null) {
            POOL.execute(this::lead);
        } else {
            next.give();
        }
        waiter.turn.await();
        if (ended) {
            throw new SimulationEnded();
        }
        return waiter.isOver.getAsBoolean();
    }

    /** Lets events happen, on a thread that has the turn; an event that waits makes another thread do that. */
    private void lead() {
        Turn own = new Turn();
        try {
            while (!ended) {
                Waiter ready = firstReady();
                if (ready != null) {
                    waiters.remove(ready);
                    idle.push(own);
                    ready.turn.give();
                    own.await();
                } else if (!time.runNext()) {
                    throw new IllegalStateException(waiters.size() + " threads wait for what will never happen");
                }
            }
        } catch (SimulationEnded e) {
            // The thread goes back to the pool.
        } catch (RuntimeException | Error e) {
            bug = e;
        }
        leave();
    }

    private void leave() {
        Turn next = afterwards;
        Waiter beginner = first;
        if (next != null) {
            next.give();
        } else if (beginner != null) {
            waiters.remove(beginner);
            beginner.turn.give();
        }
    }

    private @Nullable Waiter firstReady() {
        for (Waiter waiter : waiters) {
            if (waiter.isReady()) {
                return waiter;
            }
        }
        return null;
    }
}
