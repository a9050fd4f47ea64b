package io.tatami.server.node;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import io.tatami.client.model.ClusterStatus;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.GroupStatusReply;
import java.time.Duration;
import java.util.Random;

/** The directories of a new cluster, which the namespace group makes by itself once all shards are served. */
public final class InitialDirectories {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private InitialDirectories() {}

    /**
     * Returns once they are made.
     *
     * @throws TatamiException UNAVAILABLE where they are not for a minute
     */
    public static void await(String uri, Settings settings) throws TatamiException {
        UserIdentity starter = UserIdentity.of(System.getProperty("user.name"));
        try (TatamiClient client = TatamiClient.connect(ClusterAddress.of(uri).authority(), starter, settings)) {
            Backoff backoff = new Backoff(new Random());
            Deadline deadline = Deadline.after(Clock.SYSTEM, TIMEOUT);
            while (areMissing(client.cluster().status())) {
                if (deadline.isOver()) {
                    throw new TatamiException(
                            ErrorCode.UNAVAILABLE,
                            "the initial directories of " + uri + " cannot be created; the log has the cause");
                }
                backoff.pause(deadline);
            }
        }
    }

    private static boolean areMissing(ClusterStatus status) {
        GroupStatusReply namespace = status.groups().get(0).status();
        return namespace == null || namespace.getFirstDirectoriesMissing();
    }
}
