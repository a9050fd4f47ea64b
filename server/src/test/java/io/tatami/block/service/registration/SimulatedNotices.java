package io.tatami.block.service.registration;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Tells shards of copies and of damage as {@link Registration} does, for the servers of simulations. */
public final class SimulatedNotices {
    private final CopyReports copies = new CopyReports();
    private final DamageNotices damage = new DamageNotices();
    private final ServerId server;
    private final long incarnation;
    private final Clock clock;
    private final Link link;

    /** How shards are reached. */
    public interface Link {
        CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request);

        CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request);
    }

    public SimulatedNotices(ServerId server, long incarnation, Clock clock, Link link) {
        this.server = server;
        this.incarnation = incarnation;
        this.clock = clock;
        this.link = link;
    }

    /** A copy was made, or could not be. */
    public void made(CopiesMadeRequest.Item report) {
        copies.add(report);
    }

    public void found(StoredBlock damaged) {
        damage.found(damaged);
    }

    /** Tells what is due; to be called now and then. */
    public void tick() {
        for (GroupId shard : damage.due(nowMillis())) {
            var unused = link.damagedCopies(shard, damage.request(shard, server))
                    .whenComplete((reply, failure) -> {
                        if (failure == null) {
                            damage.answered(shard);
                        } else {
                            damage.failed(shard, nowMillis());
                        }
                    });
        }
        for (GroupId shard : copies.due(nowMillis())) {
            var unused = link.copiesMade(shard, copies.request(shard, server, incarnation))
                    .whenComplete((reply, failure) -> {
                        if (failure == null) {
                            copies.answered(shard);
                        } else {
                            copies.failed(shard, nowMillis());
                        }
                    });
        }
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos());
    }
}
