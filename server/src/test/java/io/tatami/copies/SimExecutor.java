package io.tatami.copies;

import io.tatami.rpc.sim.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The threads of one simulated process, as many as it likes: each task begins a little later than it was given, so that
 * tasks overtake each other, and none while the process hangs.
 */
final class SimExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private static final int DELAY_NANOS_MAX = 400_000;

    private final SimTime time;
    private final Random random;
    private final Consumer<Runnable> process;
    private final List<Runnable> held = new ArrayList<>();

    /** 0 while it works. */
    private long hangsUntilNanos;

    private boolean isShutdown;

    /** @param process runs each task as one of the process */
    SimExecutor(SimTime time, Random random, Consumer<Runnable> process) {
        this.time = time;
        this.random = random;
        this.process = process;
    }

    /** Begins no task for so long. */
    void hang(long nanos) {
        long untilNanos = time.monotonicNanos() + nanos;
        hangsUntilNanos = Math.max(hangsUntilNanos, untilNanos);
        time.after(nanos, () -> {
            if (hangsUntilNanos == untilNanos) {
                goOn();
            }
        });
    }

    boolean hangs() {
        return hangsUntilNanos > 0;
    }

    /** Begins tasks again, if it did not. */
    void goOn() {
        hangsUntilNanos = 0;
        List<Runnable> begun = List.copyOf(held);
        held.clear();
        begun.forEach(this::execute);
    }

    @Override
    public void execute(Runnable task) {
        time.after(1 + random.nextInt(DELAY_NANOS_MAX), () -> begin(task));
    }

    private void begin(Runnable task) {
        if (hangsUntilNanos > 0) {
            held.add(task);
        } else {
            process.accept(task);
        }
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        time.after(unit.toNanos(initialDelay), () -> {
            if (!isShutdown) {
                begin(() -> {
                    command.run();
                    ScheduledFuture<?> unused = scheduleWithFixedDelay(command, delay, delay, unit);
                });
            }
        });
        return new Unstoppable();
    }

    /** A task that goes on until the executor is shut down. */
    private static final class Unstoppable extends CompletableFuture<Object> implements ScheduledFuture<Object> {
        @Override
        public long getDelay(TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int compareTo(Delayed other) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        time.after(unit.toNanos(delay), () -> {
            if (!isShutdown) {
                begin(command);
            }
        });
        return new Unstoppable();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    /** Nothing more happens by itself; what comes is still done. */
    @Override
    public void shutdown() {
        isShutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return isShutdown;
    }

    @Override
    public boolean isTerminated() {
        return isShutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isShutdown;
    }
}
