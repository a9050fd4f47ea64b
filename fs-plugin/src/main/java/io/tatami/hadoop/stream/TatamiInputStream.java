package io.tatami.hadoop.stream;

import io.tatami.client.file.FileReader;
import io.tatami.client.file.ReadRange;
import io.tatami.client.file.ReadStatistics;
import io.tatami.hadoop.convert.ExceptionTranslator;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.CanSetReadahead;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.jspecify.annotations.Nullable;

/**
 * A file being read. Positional and vectored reads may come from many threads at once; reads that move the position are
 * made one at a time, under this object's lock.
 */
public final class TatamiInputStream extends FSInputStream
        implements ByteBufferReadable,
                ByteBufferPositionedReadable,
                CanUnbuffer,
                CanSetReadahead,
                CanSetDropBehind,
                StreamCapabilities,
                IOStatisticsSource {
    private static final Map<String, ToLongFunction<ReadStatistics>> COUNTERS = Map.ofEntries(
            Map.entry(StreamStatisticNames.STREAM_READ_BYTES, TatamiInputStream::delivered),
            Map.entry("stream_read_local_bytes", ReadStatistics::localBytes),
            Map.entry("stream_read_remote_bytes", ReadStatistics::remoteBytes),
            Map.entry("stream_read_cached_bytes", ReadStatistics::cachedBytes),
            Map.entry("stream_read_late_bytes", ReadStatistics::lateBytes),
            Map.entry("stream_read_shared_bytes", ReadStatistics::sharedBytes),
            Map.entry("stream_read_inline_bytes", ReadStatistics::inlineBytes),
            Map.entry(StreamStatisticNames.STREAM_READ_SKIP_BYTES, ReadStatistics::skippedBytes),
            Map.entry(StreamStatisticNames.STREAM_READ_OPENED, ReadStatistics::openings),
            Map.entry("stream_read_checksum_failures", ReadStatistics::checksumFailures),
            Map.entry("stream_read_copy_failures", ReadStatistics::copyFailures),
            Map.entry("stream_read_hedges", ReadStatistics::hedges),
            Map.entry("stream_read_hedge_wins", ReadStatistics::hedgeWins));

    private final FileReader reader;
    private final OpenStreams siblings;
    private final FileSystem.@Nullable Statistics statistics;
    private final IOStatistics ioStatistics;
    private final ThreadStatistics context = ThreadStatistics.current();
    private volatile boolean closed;
    private long positionAtClose;

    /**
     * @param siblings tell whether the file system still is
     * @param statistics of the file system, null where nobody counts
     */
    TatamiInputStream(FileReader reader, OpenStreams siblings, FileSystem.@Nullable Statistics statistics) {
        this.reader = reader;
        this.siblings = siblings;
        this.statistics = statistics;
        this.ioStatistics = new StreamCounters(() -> counters(count -> true));
    }

    /** The stream that Hadoop gives to programs. */
    public static FSDataInputStream of(
            FileReader reader, OpenStreams siblings, FileSystem.@Nullable Statistics statistics) {
        return new FSDataInputStream(new TatamiInputStream(reader, siblings, statistics));
    }

    private Map<String, Long> counters(LongPredicate which) {
        ReadStatistics counts = reader.statistics();
        Map<String, Long> counters = new HashMap<>();
        COUNTERS.forEach((name, counter) -> {
            long count = counter.applyAsLong(counts);
            if (which.test(count)) {
                counters.put(name, count);
            }
        });
        return counters;
    }

    private static long delivered(ReadStatistics counts) {
        return counts.localBytes() + counts.remoteBytes() + counts.inlineBytes();
    }

    @Override
    public synchronized int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkOpen();
        if (length == 0) {
            return 0;
        }
        return counted(translated(() -> reader.read(bytes, offset, length)));
    }

    @Override
    public synchronized int read(ByteBuffer buffer) throws IOException {
        checkOpen();
        if (!buffer.hasRemaining()) {
            return 0;
        }
        return counted(translated(() -> reader.read(buffer)));
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length) throws IOException {
        validatePositionedReadArgs(position, bytes, offset, length);
        return read(position, ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public int read(long position, ByteBuffer buffer) throws IOException {
        checkOpen();
        if (position < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK);
        }
        if (!buffer.hasRemaining()) {
            return 0;
        }
        return counted(translated(() -> reader.readAt(position, buffer)));
    }

    @Override
    public void readFully(long position, byte[] bytes, int offset, int length) throws IOException {
        validatePositionedReadArgs(position, bytes, offset, length);
        readFully(position, ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public void readFully(long position, ByteBuffer buffer) throws IOException {
        int wanted = buffer.remaining();
        if (wanted > 0 && read(position, buffer) < wanted) {
            throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY);
        }
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        checkOpen();
        List<ReadRange> reads = new ArrayList<>(ranges.size());
        for (FileRange range : Objects.requireNonNull(ranges, "ranges")) {
            if (range.getOffset() < 0) {
                throw new EOFException("position is negative in " + range);
            }
            ReadRange read = ReadRange.of(range.getOffset(), checkedLength(range));
            range.setData(read.result().thenApply(this::countedBuffer));
            reads.add(read);
        }
        Objects.requireNonNull(allocate, "allocate");
        translated(() -> {
            reader.readRanges(reads, allocate);
            return 0;
        });
    }

    private static int checkedLength(FileRange range) {
        if (range.getLength() < 0) {
            throw new IllegalArgumentException("length is negative in " + range);
        }
        return range.getLength();
    }

    private ByteBuffer countedBuffer(ByteBuffer buffer) {
        counted(buffer.remaining());
        return buffer;
    }

    @Override
    public synchronized void seek(long position) throws IOException {
        checkOpen();
        if (position < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK);
        }
        if (position > reader.lengthBytes()) {
            throw new EOFException(
                    "Cannot seek after EOF: position " + position + " in a file of " + reader.lengthBytes() + " bytes");
        }
        translated(() -> {
            reader.seek(position);
            return 0;
        });
    }

    @Override
    public synchronized long getPos() throws IOException {
        return closed ? positionAtClose : reader.position();
    }

    /** Copies are chosen underneath, where their failures are seen. */
    @Override
    public boolean seekToNewSource(long position) throws IOException {
        checkOpen();
        return false;
    }

    @Override
    public synchronized int available() throws IOException {
        checkOpen();
        return (int) Math.min(Integer.MAX_VALUE, reader.lengthBytes() - reader.position());
    }

    @Override
    public synchronized void unbuffer() {
        if (!closed) {
            reader.unbuffer();
        }
    }

    /** A hint, taken and not needed: the stream reads ahead by how it is read. */
    @Override
    public void setReadahead(@Nullable Long bytes) {}

    /** A hint, taken without effect. */
    @Override
    public void setDropBehind(@Nullable Boolean dropCache) {}

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            positionAtClose = reader.position();
            closed = true;
            // Most counters of a short stream are zero, which adds nothing and takes as long.
            context.add(new StreamCounters(() -> counters(count -> count > 0)));
            reader.close();
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case StreamCapabilities.READBYTEBUFFER,
                    StreamCapabilities.PREADBYTEBUFFER,
                    StreamCapabilities.UNBUFFER,
                    StreamCapabilities.VECTOREDIO,
                    StreamCapabilities.IOSTATISTICS,
                    StreamCapabilities.IOSTATISTICS_CONTEXT -> true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return ioStatistics;
    }

    private int counted(int bytes) {
        if (bytes > 0 && statistics != null) {
            statistics.incrementBytesRead(bytes);
        }
        return bytes;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
        }
        siblings.requireOpen();
    }

    private interface Read {
        int run() throws IOException;
    }

    private static int translated(Read read) throws IOException {
        try {
            return read.run();
        } catch (IOException e) {
            throw ExceptionTranslator.translate(e);
        }
    }

    @Override
    public String toString() {
        return "TatamiInputStream[" + reader.status().path() + "]";
    }
}
