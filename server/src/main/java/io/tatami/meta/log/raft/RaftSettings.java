package io.tatami.meta.log.raft;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.SettingKind;
import io.tatami.conf.Settings;
import io.tatami.meta.log.flush.FlushMode;
import java.time.Duration;
import java.util.List;

/**
 * How the replicas of a group keep together.
 *
 * @param electionMin after this long at the earliest without a word from the leader a replica stands for election
 * @param electionMax and after this long at the latest; a failover takes about this long
 * @param snapshotEntries a replica writes a snapshot of its store after so many entries, and drops the log before it
 * @param snapshotBytes or after so many bytes of them, what comes first
 * @param segmentBytes of one file of the log
 * @param receiveBytesPerSecond at most so much of other members' snapshots is taken in
 * @param snapshotFlush how one that was taken in becomes durable
 */
public record RaftSettings(
        Duration electionMin,
        Duration electionMax,
        int snapshotEntries,
        long snapshotBytes,
        long segmentBytes,
        long receiveBytesPerSecond,
        FlushMode snapshotFlush) {
    private static final Setting<Duration> ELECTION_MIN = Setting.duration(
            "tatami.meta.raft.election.min",
            "400ms",
            "50ms",
            "60s",
            "The least time without a word from a group's leader before another is elected.");
    private static final Setting<Duration> ELECTION_MAX = Setting.duration(
            "tatami.meta.raft.election.max",
            "800ms",
            "100ms",
            "120s",
            "The most time without a word from a group's leader before another is elected.");
    private static final Setting<Integer> SNAPSHOT_ENTRIES = Setting.count(
            "tatami.meta.raft.snapshot.entries",
            100_000,
            10,
            1 << 30,
            "Batches in a replicated group's log before its store is written out and the log is cut.");
    private static final Setting<Long> SNAPSHOT_BYTES = Setting.size(
            "tatami.meta.raft.snapshot.bytes",
            "256m",
            "1m",
            "1t",
            "Bytes in a replicated group's log before its store is written out and the log is cut.");
    private static final Setting<Long> SEGMENT_BYTES = Setting.size(
            "tatami.meta.raft.segment", "32m", "8m", "1g", "Length of one file of a replicated group's log.");

    private static final Setting<Long> RECEIVE_BYTES = Setting.size(
            "tatami.metadata.move.rate",
            "64m",
            "1m",
            "1t",
            "Bytes a second at which a metadata server takes in replicas that come to it, and those of its own that were"
                    + " away too long.");

    private static final Setting<FlushMode> SNAPSHOT_FLUSH = new Setting<>(
            "tatami.meta.raft.snapshot.flush",
            "once",
            SettingKind.oneOf(FlushMode.class),
            "",
            value -> true,
            "How a replica that has come becomes durable: by one flush of the file system it lies on, or by one of each"
                    + " file.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(
            ELECTION_MIN, ELECTION_MAX, SNAPSHOT_ENTRIES, SNAPSHOT_BYTES, SEGMENT_BYTES, RECEIVE_BYTES, SNAPSHOT_FLUSH);

    /** @throws SettingException INVALID_ARGUMENT on a bad value */
    public static RaftSettings from(Settings settings) throws SettingException {
        return new RaftSettings(
                settings.get(ELECTION_MIN),
                settings.get(ELECTION_MAX),
                settings.get(SNAPSHOT_ENTRIES),
                settings.get(SNAPSHOT_BYTES),
                settings.get(SEGMENT_BYTES),
                settings.get(RECEIVE_BYTES),
                settings.get(SNAPSHOT_FLUSH));
    }
}
