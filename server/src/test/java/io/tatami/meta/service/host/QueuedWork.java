package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** The work of a {@link SteppedGroup} in the order in which it comes, without time or faults. Owned by one thread. */
public final class QueuedWork implements SteppedWork {
    private final Queue<Runnable> due = new ArrayDeque<>();
    private int commits;

    /** Operations that became durable. */
    public int commits() {
        return commits;
    }

    public void runUntilDone(CompletableFuture<?> reply) {
        while (!reply.isDone()) {
            Runnable next = due.poll();
            assertTrue(next != null, "nothing is left to do, and there is no answer");
            next.run();
        }
    }

    @Override
    public void later(SteppedGroup group, long delayMillis, Runnable action) {
        due.add(action);
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
        return new Meddling() {
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
        };
    }

    @Override
    public void decided(SteppedGroup group, Operation<?, ?, ?> operation) {}

    @Override
    public Write write() {
        return Write.DURABLE;
    }

    @Override
    public void written(SteppedGroup group, Decided decided) {}

    @Override
    public void stopped(SteppedGroup group, Optional<Draft> written) {}

    @Override
    public void committed(SteppedGroup group, List<Decided> batch) {
        commits += batch.size();
    }

    @Override
    public void answered(SteppedGroup group, Operation<?, ?, ?> operation) {}

    @Override
    public void bug(Throwable thrown) {
        throw new AssertionError(thrown);
    }
}
