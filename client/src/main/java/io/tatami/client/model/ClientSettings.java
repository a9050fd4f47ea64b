package io.tatami.client.model;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.util.List;

/**
 * How a client behaves.
 *
 * @param connectTimeout how long a new client looks for a metadata server that answers
 * @param operationTimeout how long an operation on the metadata service is tried before it fails
 * @param attemptTimeout how long one attempt of it waits for its reply
 * @param host the name of this host as the cluster's servers call it; empty to find it out
 * @param rack of this host as the cluster calls it; empty for that of its block server
 * @param blockSizeBytes of new files
 * @param replication of new files
 * @param copiesMin how many copies of each block the close of a new file waits for
 * @param inlineBytesMax files up to this size are stored with the metadata; the cluster's limit is 16 KiB
 * @param handlesMax directories whose handles are kept
 * @param listPageEntries entries asked of each shard for a page of a listing
 * @param leaseRenewal how often the leases of open files are renewed
 * @param readAheadBytes how far a sequential reader reads ahead
 * @param readHedge the silence of a copy after which another one is read beside it; zero for a second
 * @param sharesMemory whether long reads and writes go through memory shared with block servers of this host
 * @param writeWindowBytes how much a writer sends ahead of its acknowledgement
 * @param blockTimeout how long a block server may be silent before another copy or a recovery is tried
 * @param vectoredThreads threads that fill ranges of vectored reads
 * @param vectoredGapBytes ranges this near each other are read as one
 * @param vectoredRunBytesMax the longest read that ranges are merged to
 * @param traced whether requests to metadata servers and streams of blocks carry a trace
 */
public record ClientSettings(
        Duration connectTimeout,
        Duration operationTimeout,
        Duration attemptTimeout,
        String host,
        String rack,
        long blockSizeBytes,
        int replication,
        int copiesMin,
        int inlineBytesMax,
        int handlesMax,
        int listPageEntries,
        Duration leaseRenewal,
        int readAheadBytes,
        Duration readHedge,
        boolean sharesMemory,
        int writeWindowBytes,
        Duration blockTimeout,
        int vectoredThreads,
        int vectoredGapBytes,
        int vectoredRunBytesMax,
        boolean traced) {
    /** Short for commands that somebody waits for. */
    public static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
            "tatami.client.connect.timeout", "20s", "1ms", "1d", "How long a new client looks for a metadata server.");

    private static final Setting<Duration> OPERATION_TIMEOUT = Setting.duration(
            "tatami.client.operation.timeout",
            "120s",
            "1ms",
            "1d",
            "How long an operation is tried while the metadata service cannot serve it.");
    private static final Setting<Duration> ATTEMPT_TIMEOUT = Setting.duration(
            "tatami.client.attempt.timeout", "30s", "1ms", "1d", "How long one attempt of an operation waits.");
    private static final Setting<String> HOST =
            Setting.text("tatami.client.host", "", "This host's name as the cluster knows it; empty to find it out.");
    private static final Setting<String> RACK = Setting.text(
            "tatami.client.rack", "", "This host's rack as the cluster knows it; empty for that of its block server.");

    /** Unset, the plug-in takes what HDFS's own name for it says; so for the other public ones. */
    public static final Setting<Long> BLOCK_SIZE =
            Setting.size("tatami.client.block.size", "256m", "1", "2g", "Block size of new files.");

    public static final Setting<Integer> REPLICATION =
            Setting.count("tatami.client.replication", 1, 1, 16, "Copies of each block of new files.");
    /** Not above the replication of the file. */
    public static final Setting<Integer> COPIES_MIN = Setting.count(
            "tatami.client.copies.min", 1, 1, 16, "Copies of each block that the close of a new file waits for.");

    /** Nothing is stored inline by a writer that has 0 here. */
    public static final Setting<Long> INLINE_MAX = Setting.size(
            "tatami.client.inline.max", "16k", "0", "16k", "Files up to this size are stored with the metadata.");

    private static final Setting<Integer> HANDLES_MAX =
            Setting.count("tatami.client.handles.max", 10_000, 1, 1 << 24, "Directories whose handles a client keeps.");
    private static final Setting<Integer> LIST_PAGE = Setting.count(
            "tatami.client.list.page", 1_000, 1, 10_000, "Entries asked of a shard at once while listing.");
    private static final Setting<Duration> LEASE_RENEWAL = Setting.duration(
            "tatami.client.lease.renewal", "20s", "1ms", "5m", "How often the leases of open files are renewed.");
    private static final Setting<Long> READ_AHEAD =
            Setting.size("tatami.client.read.ahead", "8m", "1m", "256m", "How far a sequential reader reads ahead.");
    public static final Setting<Duration> READ_HEDGE = Setting.duration(
            "tatami.client.read.hedge",
            "0ms",
            "0ms",
            "1s",
            "Silence of a copy after which another one is read beside it; 0 for one second.");
    private static final Setting<Boolean> SHARED_MEMORY = Setting.flag(
            "tatami.client.shared.memory",
            true,
            "Whether long reads and writes go through memory shared with block servers of this host.");
    private static final Setting<Long> WRITE_WINDOW = Setting.size(
            "tatami.client.write.window", "12m", "1m", "16m", "How much a writer sends ahead of acknowledgements.");
    public static final Setting<Duration> BLOCK_TIMEOUT = Setting.duration(
            "tatami.client.block.timeout", "60s", "1ms", "1h", "Silence after which a block server is given up.");
    private static final Setting<Integer> VECTORED_THREADS =
            Setting.count("tatami.client.vectored.threads", 4, 1, 256, "Threads of a client that fill vectored reads.");
    private static final Setting<Long> VECTORED_GAP = Setting.size(
            "tatami.client.vectored.gap", "128k", "0", "64m", "Vectored ranges this near are read as one.");
    private static final Setting<Long> VECTORED_RUN = Setting.size(
            "tatami.client.vectored.run.max", "8m", "1k", "1g", "The longest read that ranges are merged to.");

    private static final Setting<Boolean> TRACE = Setting.flag(
            "tatami.client.trace",
            true,
            "Whether each request to a metadata server and each stream of a block carries a trace, by which the servers'"
                    + " logs are searched.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(
            CONNECT_TIMEOUT,
            OPERATION_TIMEOUT,
            ATTEMPT_TIMEOUT,
            HOST,
            RACK,
            BLOCK_SIZE,
            REPLICATION,
            COPIES_MIN,
            INLINE_MAX,
            HANDLES_MAX,
            LIST_PAGE,
            LEASE_RENEWAL,
            READ_AHEAD,
            READ_HEDGE,
            SHARED_MEMORY,
            WRITE_WINDOW,
            BLOCK_TIMEOUT,
            VECTORED_THREADS,
            VECTORED_GAP,
            VECTORED_RUN,
            TRACE);

    /** @throws SettingException INVALID_ARGUMENT on a bad value */
    public static ClientSettings from(Settings settings) throws SettingException {
        return new ClientSettings(
                settings.get(CONNECT_TIMEOUT),
                settings.get(OPERATION_TIMEOUT),
                settings.get(ATTEMPT_TIMEOUT),
                settings.get(HOST),
                settings.get(RACK),
                settings.get(BLOCK_SIZE),
                settings.get(REPLICATION),
                settings.get(COPIES_MIN),
                Math.toIntExact(settings.get(INLINE_MAX)),
                settings.get(HANDLES_MAX),
                settings.get(LIST_PAGE),
                settings.get(LEASE_RENEWAL),
                Math.toIntExact(settings.get(READ_AHEAD)),
                settings.get(READ_HEDGE),
                settings.get(SHARED_MEMORY),
                Math.toIntExact(settings.get(WRITE_WINDOW)),
                settings.get(BLOCK_TIMEOUT),
                settings.get(VECTORED_THREADS),
                Math.toIntExact(settings.get(VECTORED_GAP)),
                Math.toIntExact(settings.get(VECTORED_RUN)),
                settings.get(TRACE));
    }
}
