package io.tatami.base;

/** Waiting for threads to end. */
public final class Threads {
    private Threads() {}

    /** Returns once {@code thread} has ended; an interrupt meanwhile is kept for the caller. */
    public static void joinUninterrupted(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
