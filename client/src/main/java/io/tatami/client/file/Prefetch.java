package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.model.PrefetchProgress;
import java.util.UUID;

/** An access plan that block servers know by its id. Safe for use by many threads; calls wait for the servers. */
public final class Prefetch {
    private final FileLocator locator;
    private final UUID id;
    private final ByteString bytes;

    Prefetch(FileLocator locator, UUID id, ByteString bytes) {
        this.locator = locator;
        this.id = id;
        this.bytes = bytes;
    }

    public UUID id() {
        return id;
    }

    /**
     * How far the servers are that know the plan and answer.
     *
     * @throws TatamiException NOT_FOUND where none knows it: it was cancelled or forgotten, or the servers were started
     *     anew; where none that may know it answers, what that one failed with
     */
    public PrefetchProgress progress() throws TatamiException {
        PrefetchProgress sum = null;
        TatamiException failure = null;
        for (SideBySide.Answer<ServerId, PrefetchProgress> answer :
                locator.ofServers(locator.servers().alive(), this::progress)) {
            PrefetchProgress one = answer.value();
            if (one != null) {
                sum = sum == null ? one : sum.plus(one);
            } else if (answer.failure() != null && !knowsNothing(answer.failure())) {
                failure = answer.failure();
            }
        }
        if (sum != null) {
            return sum;
        }
        throw failure != null
                ? failure.again()
                : new TatamiException(
                        ErrorCode.NOT_FOUND,
                        "no block server knows plan " + id
                                + "; it was cancelled, was not used for long, or the servers were started anew");
    }

    /**
     * Has the servers give the plan up, and what they staged for it that was not read.
     *
     * @throws TatamiException where a server did not answer, after all were told; what it has is forgotten in time
     */
    public void cancel() throws TatamiException {
        for (SideBySide.Answer<ServerId, ServerId> answer :
                locator.ofServers(locator.servers().alive(), this::cancel)) {
            if (answer.failure() != null) {
                throw answer.failure().again();
            }
        }
    }

    private PrefetchProgress progress(ServerId server) throws TatamiException {
        return ReadPlanner.progress(
                locator.blocks().planStatus(locator.servers().target(server, locator.deadline()), bytes));
    }

    private ServerId cancel(ServerId server) throws TatamiException {
        locator.blocks().cancelPlan(locator.servers().target(server, locator.deadline()), bytes);
        return server;
    }

    private static boolean knowsNothing(TatamiException failure) {
        return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.UNSUPPORTED;
    }
}
