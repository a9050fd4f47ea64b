package io.tatami.copies;

import com.google.protobuf.Message;
import io.tatami.base.FileId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.service.host.SteppedWork;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.wire.RenewBlockRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The steps of groups in the time of the simulation; whatever a group does, its process may end there. */
final class SimSteps implements SteppedWork, SteppedWork.Meddling {
    private final CopiesWorld world;

    SimSteps(CopiesWorld world) {
        this.world = world;
    }

    @Override
    public void later(SteppedGroup group, long delayMillis, Runnable action) {
        world.time().after(TimeUnit.MILLISECONDS.toNanos(delayMillis), () -> {
            if (!group.isCrashed()) {
                action.run();
            }
        });
    }

    @Override
    public long decisionMillis() {
        return world.random().nextInt(2);
    }

    @Override
    public long commitMillis() {
        return 1L + world.random().nextInt(3);
    }

    @Override
    public Meddling meddling() {
        return this;
    }

    @Override
    public void decided(SteppedGroup group, Operation<?, ?, ?> operation) {
        world.chaos().passGroup(group);
    }

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
    public void committed(SteppedGroup group, List<Decided> batch) {
        for (Decided decided : batch) {
            if (decided.request() instanceof RenewBlockRequest renewal) {
                world.judge().renewed(new FileId(renewal.getFileId()));
            }
        }
        batch.forEach(decided -> world.chaos().passGroup(group));
    }

    @Override
    public void answered(SteppedGroup group, Operation<?, ?, ?> operation) {
        world.chaos().passGroup(group);
    }

    @Override
    public void bug(Throwable thrown) {
        world.bug(thrown);
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
