package io.tatami.benchmarks.harness.yarn;

import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CacheStatus;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * What block servers have sent to readers of what was planned, since they started.
 *
 * @param stagedBytes from their cache tiers
 * @param lateBytes not staged when they were asked for
 */
public record TierReads(long stagedBytes, long lateBytes) {
    private static final long TIMEOUT_MILLIS = 10_000;

    /** @throws IOException where a server does not answer */
    public static TierReads of(Configuration configuration) throws IOException {
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        try (TatamiClient client = TatamiClient.connect(
                FileSystem.getDefaultUri(configuration).getAuthority(),
                UserIdentity.of(user),
                new Settings(configuration::get))) {
            long staged = 0;
            long late = 0;
            for (BlockServerInfo server : client.cluster().status().map().getBlockServerList()) {
                CacheStatus cache = client.cluster()
                        .blockServerStatus(server, TIMEOUT_MILLIS)
                        .getCache();
                staged += cache.getBytesReadStaged();
                late += cache.getBytesReadLate();
            }
            return new TierReads(staged, late);
        }
    }

    /** What was read since. */
    public TierReads since(TierReads before) {
        return new TierReads(stagedBytes - before.stagedBytes, lateBytes - before.lateBytes);
    }
}
