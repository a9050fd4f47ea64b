package io.tatami.client.memory;

import com.google.protobuf.Message;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.service.host.SteppedWork;
import io.tatami.meta.state.Draft;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Steps of groups as soon as they can be, with nothing that goes wrong. Bugs from any thread, the rest on the groups'.
 */
final class ThreadedWork implements SteppedWork, SteppedWork.Meddling {
    private final ScheduledExecutorService thread;
    private final Queue<Throwable> bugs = new ConcurrentLinkedQueue<>();

    ThreadedWork(ScheduledExecutorService thread) {
        this.thread = thread;
    }

    List<Throwable> bugs() {
        return List.copyOf(bugs);
    }

    /** Nothing comes later once the groups have ended. */
    void later(Runnable action, long delayMillis) {
        try {
            var unused = thread.schedule(
                    () -> {
                        try {
                            action.run();
                        } catch (RuntimeException e) {
                            bug(e);
                        }
                    },
                    delayMillis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            if (!thread.isShutdown()) {
                throw e;
            }
        }
    }

    @Override
    public void later(SteppedGroup group, long delayMillis, Runnable action) {
        later(action, delayMillis);
    }

    @Override
    public long decisionMillis() {
        return 0;
    }

    @Override
    public long commitMillis() {
        return 0;
    }

    @Override
    public Meddling meddling() {
        return this;
    }

    @Override
    public void decided(SteppedGroup group, Operation<?, ?, ?> operation) {}

    @Override
    public Write write() {
        return Write.DURABLE;
    }

    @Override
    public void written(SteppedGroup group, Decided decided) {
        throw new IllegalStateException("no log fails here");
    }

    @Override
    public void stopped(SteppedGroup group, Optional<Draft> written) {
        throw new IllegalStateException("no log fails here");
    }

    @Override
    public void committed(SteppedGroup group, List<Decided> batch) {}

    @Override
    public void answered(SteppedGroup group, Operation<?, ?, ?> operation) {}

    @Override
    public void bug(Throwable thrown) {
        bugs.add(thrown);
    }

    @Override
    public boolean answersAfterFailure() {
        return false;
    }

    @Override
    public boolean drops(Operation<?, ?, ?> operation) {
        return false;
    }

    @Override
    public void before(Operation<?, ?, ?> operation, Draft records, Message request) {}

    @Override
    public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {}
}
