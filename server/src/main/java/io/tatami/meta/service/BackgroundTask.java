package io.tatami.meta.service;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Work that a group does by itself while it is open. Run after the group opened, and then again and again; never twice
 * at once. A run does a bounded piece of work, must not block, and its future says how long to rest before the next
 * ({@link Duration#ZERO}: there is more to do). A run that fails is logged and tried again after a pause that grows to
 * a minute. Runs end when the group closes: the one under way then meets UNAVAILABLE.
 */
@FunctionalInterface
public interface BackgroundTask {
    CompletableFuture<Duration> run();

    /**
     * Between two runs, however many of the records have come that end a rest; zero for as soon as there is one. Asked
     * after each run, so a run that left more to do may shorten it.
     */
    default Duration leastRest() {
        return Duration.ZERO;
    }

    /**
     * Whether a record of one of the kinds that end the rest does so, by its key. Called on the group's thread with the
     * records of each batch, so it must be quick.
     */
    default boolean isWokenBy(byte[] key) {
        return true;
    }
}
