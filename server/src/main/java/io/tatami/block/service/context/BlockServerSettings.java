package io.tatami.block.service.context;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Limits of a block server.
 *
 * @param writeStreamsMax write streams of a volume at once; one more is refused with BUSY. Each may use a thread
 * @param readStreamsMax read streams of a volume at once; one more is refused with BUSY
 * @param buffersBytes memory for bytes on their way to and from the volumes: half of it for each way, an equal part for
 *     each volume
 * @param readThreads threads for each volume that wait for it on behalf of readers
 * @param readTurnBytes how much one reader is sent before the next one's turn
 * @param receivedBytesMax how much all writers may send ahead of the disks beyond the 128 KiB that each is sure of; an
 *     equal part for each volume
 * @param parkMillis a stream that has not moved for so long gives its buffers back: a writer's bytes are flushed, and
 *     what was read ahead for a reader is dropped
 * @param writerIdleMillis a writer that sent nothing for so long loses its stream; what it wrote stays
 * @param chainSilenceMillis how long the server behind may leave bytes unacknowledged
 * @param commandThreads threads for calls about the blocks of a volume, for each volume, and for all other calls
 * @param commandsMax calls that may wait for those of one volume; one more is refused with BUSY
 * @param heartbeatMillis between heartbeats, and between attempts to register
 * @param creditBytes how much free room one credit stands for: the cluster's usual block size
 * @param scrubBytesPerSecondMax how fast each volume is scrubbed
 * @param sharedMemoryBytesMax memory lent to readers and writers of this host at once; 0 for none
 * @param sharedMemoryDirectory on a file system in memory
 * @param compactBytesPerSecondMax how fast short blocks of each volume are moved together
 * @param compactMillis between looks at whether there are any to be moved
 * @param prewriteBytes how far ahead of its blocks a volume file is written; 0 for not at all
 * @param copyBytesPerSecond how fast copies are made, as long as nobody says otherwise: bytes that are pulled from
 *     other servers and bytes that these pull; 0 for no limit. Copies of blocks with one good copy left are not counted
 * @param pullsMax copies made at once on a volume; of blocks with one good copy left as many again. Up to eight short
 *     blocks, of 1 MiB each and 4 MiB together at most, count as one
 * @param pullsQueuedMax copies of each of the two kinds that may wait for a volume; one more is refused with BUSY
 * @param copyBatchMax copies onto a volume that share a flush and a step of its index at most; with 1 each copy has its
 *     own, and its place among those that are made is free only after it
 * @param balancePercent how much more of the room of one volume is used than of another when blocks begin to be moved
 *     between them, until it is half as much; 0 for never
 */
public record BlockServerSettings(
        int writeStreamsMax,
        int readStreamsMax,
        long buffersBytes,
        int readThreads,
        long readTurnBytes,
        long receivedBytesMax,
        long parkMillis,
        long writerIdleMillis,
        long chainSilenceMillis,
        int commandThreads,
        int commandsMax,
        long heartbeatMillis,
        long creditBytes,
        long scrubBytesPerSecondMax,
        long sharedMemoryBytesMax,
        Path sharedMemoryDirectory,
        long compactBytesPerSecondMax,
        long compactMillis,
        long prewriteBytes,
        long copyBytesPerSecond,
        int pullsMax,
        int pullsQueuedMax,
        int copyBatchMax,
        int balancePercent) {
    public static final Setting<Integer> WRITE_STREAMS = Setting.count(
            "tatami.block.write.streams.max", 8_192, 1, 65_536, "Write streams a volume has open at once.");
    public static final Setting<Integer> READ_STREAMS =
            Setting.count("tatami.block.read.streams.max", 1024, 1, 65_536, "Read streams a volume has open at once.");
    private static final Setting<Long> BUFFERS = Setting.size(
            "tatami.block.buffers",
            "512m",
            "64m",
            "64g",
            "Memory for bytes on their way to and from the disks, half of it each way; is taken as it is needed.");
    private static final Setting<Integer> READ_THREADS =
            Setting.count("tatami.block.read.threads", 4, 1, 256, "Reads of a volume that proceed side by side.");
    private static final Setting<Long> READ_TURN = Setting.size(
            "tatami.block.read.turn", "32m", "1m", "1g", "How much one reader is sent before the next one's turn.");
    private static final Setting<Long> RECEIVED_MAX = Setting.size(
            "tatami.block.received.max",
            "256m",
            "1m",
            "64g",
            "Bytes that writers may send ahead of the disks, beyond 128 KiB each.");
    private static final Setting<Duration> PARK = Setting.duration(
            "tatami.block.park.after", "5s", "1ms", "1h", "Standstill after which a stream's buffers are given back.");
    private static final Setting<Duration> WRITER_IDLE = Setting.duration(
            "tatami.block.writer.idle.max", "30m", "1ms", "7d", "Silence after which a writer loses its stream.");
    private static final Setting<Duration> CHAIN_SILENCE = Setting.duration(
            "tatami.block.chain.silence.max", "30s", "10ms", "1h", "Silence of the next server that fails a chain.");
    private static final Setting<Integer> COMMAND_THREADS = Setting.count(
            "tatami.block.command.threads", 4, 1, 256, "Threads that serve calls about the blocks of a volume.");
    private static final Setting<Integer> COMMANDS_MAX = Setting.count(
            "tatami.block.commands.max", 1024, 1, 65_536, "Calls about the blocks of a volume that may wait.");
    private static final Setting<Duration> HEARTBEAT =
            Setting.duration("tatami.block.heartbeat", "3s", "10ms", "1m", "Time between heartbeats.");
    private static final Setting<Long> CREDIT = Setting.size(
            "tatami.block.credit.size", "256m", "4k", "2g", "Free room that the right to place one block stands for.");
    private static final Setting<Long> SCRUB_RATE = Setting.size(
            "tatami.block.scrub.rate", "64m", "1m", "64g", "Bytes per second that the scrubbing of a volume may read.");

    private static final Setting<Long> SHARED_MEMORY = Setting.size(
            "tatami.block.shared.memory",
            "768m",
            "0",
            "64g",
            "Memory shared with readers (24 MiB) and writers (16 MiB, 4 for short blocks) on the server's host; 0 for none:"
                    + " bytes are sent.");
    private static final Setting<String> SHARED_DIRECTORY = Setting.text(
            "tatami.block.shared.directory", "/dev/shm", "A file system in memory, for what is shared with clients.");
    private static final Setting<Long> COMPACT_RATE = Setting.size(
            "tatami.block.compact.rate",
            "32m",
            "1m",
            "64g",
            "Bytes per second of short blocks that a volume may move.");
    private static final Setting<Duration> COMPACT_EVERY = Setting.duration(
            "tatami.block.compact.every", "1m", "10ms", "7d", "Time between looks for short blocks to be moved.");
    private static final Setting<Long> PREWRITE = Setting.size(
            "tatami.block.prewrite.ahead",
            "4g",
            "0",
            "1024g",
            "How far ahead of its blocks, at each end of the free room, a volume file is written with zeros while nobody uses"
                    + " it, so that the first write of a place is as fast as later ones; 0 for not at all.");

    private static final Setting<Long> COPY_RATE = Setting.size(
            "tatami.block.copy.rate",
            "100m",
            "0",
            "64g",
            "Bytes per second that the making of copies may send and receive, but for blocks with one good copy left; 0 for"
                    + " no limit.");
    private static final Setting<Integer> PULLS_MAX = Setting.count(
            "tatami.block.pulls.max",
            4,
            1,
            256,
            "Copies made on a volume at once, where up to eight short blocks count as one; of blocks with one good copy left"
                    + " as many again.");
    private static final Setting<Integer> PULLS_QUEUED_MAX = Setting.count(
            "tatami.block.pulls.queued.max", 256, 1, 65_536, "Copies to be made that may wait for a volume.");

    private static final Setting<Integer> COPY_BATCH = Setting.count(
            "tatami.block.copy.batch.max",
            1_024,
            1,
            65_536,
            "Copies onto a volume that are finished together, with one flush; 1 to finish each by itself.");

    private static final Setting<Integer> BALANCE = Setting.count(
            "tatami.block.balance.percent",
            10,
            0,
            100,
            "By how many percent of their room two volumes of a server differ when blocks begin to be moved between them,"
                    + " until it is half as much; 0 for never.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(
            WRITE_STREAMS,
            READ_STREAMS,
            BUFFERS,
            READ_THREADS,
            READ_TURN,
            RECEIVED_MAX,
            PARK,
            WRITER_IDLE,
            CHAIN_SILENCE,
            COMMAND_THREADS,
            COMMANDS_MAX,
            HEARTBEAT,
            CREDIT,
            SCRUB_RATE,
            SHARED_MEMORY,
            SHARED_DIRECTORY,
            COMPACT_RATE,
            COMPACT_EVERY,
            PREWRITE,
            COPY_RATE,
            PULLS_MAX,
            PULLS_QUEUED_MAX,
            COPY_BATCH,
            BALANCE);

    /** @throws SettingException INVALID_ARGUMENT on a bad value */
    public static BlockServerSettings from(Settings settings) throws SettingException {
        return new BlockServerSettings(
                settings.get(WRITE_STREAMS),
                settings.get(READ_STREAMS),
                settings.get(BUFFERS),
                settings.get(READ_THREADS),
                settings.get(READ_TURN),
                settings.get(RECEIVED_MAX),
                settings.get(PARK).toMillis(),
                settings.get(WRITER_IDLE).toMillis(),
                settings.get(CHAIN_SILENCE).toMillis(),
                settings.get(COMMAND_THREADS),
                settings.get(COMMANDS_MAX),
                settings.get(HEARTBEAT).toMillis(),
                settings.get(CREDIT),
                settings.get(SCRUB_RATE),
                settings.get(SHARED_MEMORY),
                Path.of(settings.get(SHARED_DIRECTORY)),
                settings.get(COMPACT_RATE),
                settings.get(COMPACT_EVERY).toMillis(),
                settings.get(PREWRITE),
                settings.get(COPY_RATE),
                settings.get(PULLS_MAX),
                settings.get(PULLS_QUEUED_MAX),
                settings.get(COPY_BATCH),
                settings.get(BALANCE));
    }
}
