package io.tatami.server.node;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * How long somebody at a terminal waits for a server that is busy.
 *
 * @param noticeAfter when a line says that the command waits
 * @param giveUpAfter when a command gives up, where {@code tatami.client.connect.timeout} says nothing else
 * @param notice takes that line, on another thread
 */
public record Patience(Duration noticeAfter, Duration giveUpAfter, Consumer<String> notice) {
    /** Begins each line that is written to the error output. */
    public static final String ERROR_PREFIX = "tatami: ";

    /** A person's. @param err where the line goes */
    public static Patience of(PrintWriter err) {
        return new Patience(Duration.ofSeconds(2), Duration.ofSeconds(30), line -> {
            err.println(ERROR_PREFIX + line);
            err.flush();
        });
    }

    /** What may take long. */
    public interface Answer<T> {
        T await() throws TatamiException;
    }

    /** Awaits an answer, and tells {@code line} where that takes long. */
    public <T> T await(String line, Answer<T> answer) throws TatamiException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(Threads.daemons("notice"));
        try {
            Future<?> unused = timer.schedule(() -> notice.accept(line), noticeAfter.toMillis(), TimeUnit.MILLISECONDS);
            return answer.await();
        } finally {
            timer.shutdownNow();
        }
    }
}
