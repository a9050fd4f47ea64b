package io.tatami.benchmarks.workload.chaos;

/** Lets writers go on to the next step, or holds them between two. Safe for use by many threads. */
final class ClientGate {
    private final int writers;
    private int waiting;
    private boolean isCalm;
    private boolean isEnded;

    ClientGate(int writers) {
        this.writers = writers;
    }

    /** What a writer does before it is held. */
    @FunctionalInterface
    interface Preparation {
        void run() throws InterruptedException;
    }

    /** Waits as long as writers are held; false at the end. */
    boolean pass(Preparation preparation) throws InterruptedException {
        if (isCalm()) {
            preparation.run();
        }
        return await();
    }

    private synchronized boolean isCalm() {
        return isCalm;
    }

    private synchronized boolean await() throws InterruptedException {
        waiting++;
        notifyAll();
        while (isCalm && !isEnded) {
            wait();
        }
        waiting--;
        return !isEnded;
    }

    /** Returns when no writer has a file open. */
    synchronized void calm() throws InterruptedException {
        isCalm = true;
        while (waiting < writers) {
            wait();
        }
    }

    synchronized void go() {
        isCalm = false;
        notifyAll();
    }

    /** Has all writers end at their next step. */
    synchronized void end() {
        isEnded = true;
        notifyAll();
    }
}
