package io.tatami.meta.log.raft;

import io.tatami.meta.log.raft.transport.RatisTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is set up, and why. */
final class RatisProperties {
    private static final int SYNC_NEVER_FORCED = 1 << 20;
    private static final SizeInBytes MESSAGE_BYTES = SizeInBytes.valueOf("64MB");
    /** Of one entry, and of entries sent together. */
    private static final SizeInBytes APPEND_BYTES = SizeInBytes.valueOf("4MB");
    /** Outside the heap, for each group; an entry has to fit with its frame. */
    private static final SizeInBytes WRITE_BUFFER_BYTES = SizeInBytes.valueOf((4 << 20) + (64 << 10));

    private static final SizeInBytes SNAPSHOT_CHUNK_BYTES = SizeInBytes.valueOf("4MB");
    /**
     * How soon a member that did not answer is tried again. One that comes back counts only when its leader reaches it:
     * by Ratis's own policy that takes up to 5 s, in which another death would leave no majority.
     */
    private static final String APPEND_RETRIES = "1ms,10, 200ms,1000000000";

    private static final int CACHED_SEGMENTS = 2;
    private static final TimeDuration STAGING = TimeDuration.valueOf(60, TimeUnit.SECONDS);
    private static final TimeDuration REQUEST = TimeDuration.valueOf(10, TimeUnit.SECONDS);
    private static final TimeDuration REPLIES_KEPT = TimeDuration.valueOf(1, TimeUnit.SECONDS);
    private static final TimeDuration NEVER = TimeDuration.valueOf(3_650, TimeUnit.DAYS);

    private RatisProperties() {}

    static RaftProperties of(RaftSettings settings, String bindHost, int port) {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new RatisTransport());
        GrpcConfigKeys.Server.setHost(properties, bindHost);
        GrpcConfigKeys.Server.setPort(properties, port);
        GrpcConfigKeys.setMessageSizeMax(properties, MESSAGE_BYTES);
        log(properties, settings);
        snapshots(properties);
        elections(properties, settings);
        requests(properties);
        return properties;
    }

    /** From here on groups that are added lie in this directory. */
    static void setDirectory(RaftProperties properties, Path directory) {
        RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    }

    private static void log(RaftProperties properties, RaftSettings settings) {
        SizeInBytes segment = SizeInBytes.valueOf(settings.segmentBytes());
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, segment);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf(settings.segmentBytes() / 8));
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, CACHED_SEGMENTS);
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(
                properties, SizeInBytes.valueOf(CACHED_SEGMENTS * settings.segmentBytes()));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, WRITE_BUFFER_BYTES);
        // The log's thread flushes when it has nothing more to write; a flush in between would be one more.
        RaftServerConfigKeys.Log.setForceSyncNum(properties, SYNC_NEVER_FORCED);
        // Both tell of entries as durable that are not.
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
        // Else each commit is followed by an entry that says so: twice as many entries, and another flush for each.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        // A member that is away must not make the log of the others grow; it is sent a snapshot.
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, APPEND_BYTES);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, SNAPSHOT_CHUNK_BYTES);
        RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, true);
        RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, APPEND_RETRIES);
    }

    /** The replica itself says when: by entries and by bytes. */
    private static void snapshots(RaftProperties properties) {
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setTriggerWhenRemoveEnabled(properties, false);
    }

    private static void elections(RaftProperties properties, RaftSettings settings) {
        TimeDuration least = millis(settings.electionMin());
        TimeDuration most = millis(settings.electionMax());
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, least);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, most);
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, least);
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, most);
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, REQUEST);
        RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
                properties, millis(settings.electionMax().multipliedBy(2)));
        // From one member to three is one step; new members have caught up before they count.
        RaftServerConfigKeys.LeaderElection.setMemberMajorityAdd(properties, true);
        RaftServerConfigKeys.setStagingTimeout(properties, STAGING);
        // A process that was stopped for long goes on as a follower; Ratis would end it.
        RaftServerConfigKeys.setCloseThreshold(properties, NEVER);
    }

    private static void requests(RaftProperties properties) {
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        // A lease trusts clocks.
        RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, false);
        // The groups remember replies themselves.
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, REPLIES_KEPT);
        RaftServerConfigKeys.RetryCache.setStatisticsExpiryTime(properties, REPLIES_KEPT);
    }

    private static TimeDuration millis(Duration duration) {
        return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
    }
}
