package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.host.SteppedTimer;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a background task is run. */
final class BackgroundRunnerTest {
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));
    private final List<Long> runs = new ArrayList<>();
    private long nowMillis;

    private record Due(long atMillis, Runnable action) {}

    private BackgroundRunner runner(Duration rest, Duration leastRest) {
        SteppedTimer timer = new SteppedTimer((delay, action) -> due.add(new Due(nowMillis + delay, action)));
        return new BackgroundRunner(
                "the task",
                new BackgroundTask() {
                    @Override
                    public CompletableFuture<Duration> run() {
                        runs.add(nowMillis);
                        return CompletableFuture.completedFuture(rest);
                    }

                    @Override
                    public Duration leastRest() {
                        return leastRest;
                    }

                    @Override
                    public boolean isWokenBy(byte[] key) {
                        return Keys.isOutbox(key, 3);
                    }
                },
                timer);
    }

    private void runUntil(long millis) {
        while (!due.isEmpty() && due.peek().atMillis() <= millis) {
            Due next = due.remove();
            nowMillis = next.atMillis();
            next.action().run();
        }
        nowMillis = millis;
    }

    private void wakeEach(BackgroundRunner runner, long millis, long untilMillis) {
        while (nowMillis < untilMillis) {
            runUntil(nowMillis + millis);
            runner.wake();
        }
    }

    @Test
    void whatWakesATaskEndsItsRestAtOnce() {
        BackgroundRunner runner = runner(Duration.ofSeconds(60), Duration.ZERO);
        runner.wake();
        runUntil(10);
        runner.wake();
        runUntil(20);
        assertEquals(List.of(0L, 10L), runs);
    }

    @Test
    void aTaskRestsForItsLeastTimeHoweverOftenItIsWoken() {
        BackgroundRunner runner = runner(Duration.ofSeconds(60), Duration.ofSeconds(1));
        runner.wake();
        wakeEach(runner, 10, 2_500);
        assertEquals(List.of(0L, 1_000L, 2_000L), runs);
        runUntil(10_000);
        assertEquals(List.of(0L, 1_000L, 2_000L, 3_000L), runs);
    }

    @Test
    void aTaskThatIsNotWokenRunsAfterItsRest() {
        BackgroundRunner runner = runner(Duration.ofSeconds(5), Duration.ofSeconds(1));
        runner.wake();
        runUntil(12_000);
        assertEquals(List.of(0L, 5_000L, 10_000L), runs);
    }

    @Test
    void whatWakesATaskAfterItsLeastTimeEndsItsRest() {
        BackgroundRunner runner = runner(Duration.ofSeconds(60), Duration.ofSeconds(1));
        runner.wake();
        runUntil(3_000);
        runner.wake();
        runUntil(4_000);
        assertEquals(List.of(0L, 3_000L), runs);
    }

    @Test
    void onlyRecordsThatConcernATaskEndItsRest() {
        BackgroundRunner runner = runner(Duration.ofSeconds(60), Duration.ZERO);
        runner.wake();
        runUntil(10);
        runner.wakeOn(written(Keys.outbox(2, 1)), "o");
        runner.wakeOn(written(Keys.outbox(3, 1)), "x");
        runUntil(20);
        assertEquals(List.of(0L), runs);
        runner.wakeOn(written(Keys.outbox(3, 1)), "o");
        runUntil(30);
        assertEquals(List.of(0L, 20L), runs);
    }

    private static Draft written(byte[] key) {
        Draft draft = new Draft(new MemoryView());
        draft.put(key, new byte[1]);
        return draft;
    }
}
