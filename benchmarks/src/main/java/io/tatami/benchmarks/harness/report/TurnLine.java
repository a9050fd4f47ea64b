package io.tatami.benchmarks.harness.report;

import io.tatami.base.Threads;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Shows each second how far turns are, on a thread of its own. Without a terminal there is neither. */
final class TurnLine implements AutoCloseable {
    private final Screen screen;
    private @Nullable ScheduledExecutorService timer;
    private @Nullable RoundTurns shown;

    TurnLine(Screen screen) {
        this.screen = screen;
    }

    /** These from now on. */
    synchronized void follow(RoundTurns turns) {
        shown = turns;
        if (timer == null && screen.hasLine()) {
            timer = Executors.newSingleThreadScheduledExecutor(Threads.daemons("turns"));
            var unused = timer.scheduleAtFixedRate(this::show, 1, 1, TimeUnit.SECONDS);
        }
    }

    private synchronized void show() {
        String text = shown == null ? "" : shown.text();
        if (!text.isEmpty()) {
            screen.show(text);
        }
    }

    @Override
    public synchronized void close() {
        shown = null;
        if (timer != null) {
            timer.shutdownNow();
            screen.erase();
        }
    }
}
