package io.tatami.hadoop.stream;

import io.tatami.base.PendingFlush;
import io.tatami.client.file.FileWriter;
import io.tatami.hadoop.convert.ExceptionTranslator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.jspecify.annotations.Nullable;

/**
 * A file being written. Every method holds this object's lock, but for the wait of a flush. After {@link #close} bytes
 * are on the devices; a write after it throws {@link ClosedChannelException}, as on HDFS.
 */
public final class TatamiOutputStream extends OutputStream
        implements Syncable, CanSetDropBehind, StreamCapabilities, IOStatisticsSource {
    /** Hadoop deprecates its constant in favour of hsync's, but programs still ask for this. */
    private static final String HFLUSH = "hflush";

    private final FileWriter writer;
    private final OpenStreams siblings;
    private final FileSystem.@Nullable Statistics statistics;
    private final AtomicLong bytesWritten = new AtomicLong();
    private final AtomicLong sharedBytes = new AtomicLong();
    private final AtomicLong hflushes = new AtomicLong();
    private final AtomicLong hsyncs = new AtomicLong();
    private final ThreadStatistics context = ThreadStatistics.current();
    private final IOStatistics ioStatistics = new StreamCounters(this::counted);
    private boolean closed;

    /**
     * @param siblings the open streams of the same file system, among which this one is until it is closed
     * @param statistics of the file system, null where nobody counts
     */
    TatamiOutputStream(FileWriter writer, OpenStreams siblings, FileSystem.@Nullable Statistics statistics) {
        this.writer = writer;
        this.siblings = siblings;
        this.statistics = statistics;
    }

    /** The stream that Hadoop gives to programs. */
    public static FSDataOutputStream of(
            FileWriter writer, OpenStreams siblings, FileSystem.@Nullable Statistics statistics) throws IOException {
        TatamiOutputStream stream = new TatamiOutputStream(writer, siblings, statistics);
        siblings.add(stream);
        return new FSDataOutputStream(stream, null, writer.position());
    }

    private Map<String, Long> counted() {
        return Map.of(
                StreamStatisticNames.STREAM_WRITE_BYTES,
                bytesWritten.get(),
                "stream_write_shared_bytes",
                sharedBytes.get(),
                "op_hflush",
                hflushes.get(),
                "op_hsync",
                hsyncs.get());
    }

    @Override
    public synchronized void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkOpen();
        translated(() -> writer.write(bytes, offset, length));
        bytesWritten.addAndGet(length);
        sharedBytes.set(writer.sharedBytes());
        if (statistics != null) {
            statistics.incrementBytesWritten(length);
        }
    }

    /** Hands nothing on: bytes become visible by {@link #hflush}, as on HDFS. */
    @Override
    public synchronized void flush() throws IOException {
        checkOpen();
    }

    @Override
    public void hflush() throws IOException {
        flush(false);
    }

    @Override
    public void hsync() throws IOException {
        flush(true);
    }

    /** Waits without the lock, so that others write, flush and close meanwhile, as on HDFS. */
    private void flush(boolean durably) throws IOException {
        if (!beginFlush(durably).await()) {
            finishFlush(durably);
        }
    }

    private synchronized PendingFlush beginFlush(boolean durably) throws IOException {
        checkOpen();
        (durably ? hsyncs : hflushes).incrementAndGet();
        try {
            return writer.beginFlush(durably);
        } catch (IOException e) {
            throw ExceptionTranslator.translate(e);
        }
    }

    private synchronized void finishFlush(boolean durably) throws IOException {
        if (closed) {
            // By another thread, meanwhile: what it closed is durable.
            translated(writer::close);
        } else if (durably) {
            translated(() -> writer.hsync(false));
        } else {
            translated(writer::hflush);
        }
    }

    /** A hint, taken without effect. */
    @Override
    public void setDropBehind(@Nullable Boolean dropCache) {}

    @Override
    public synchronized void close() throws IOException {
        boolean wasOpen = !closed;
        closed = true;
        try {
            translated(writer::close);
        } finally {
            // A close that was interrupted, or has to wait for copies, is not the last one.
            if (writer.hasEnded()) {
                siblings.remove(this);
            }
            sharedBytes.set(writer.sharedBytes());
            if (wasOpen && bytesWritten.get() + hflushes.get() + hsyncs.get() > 0) {
                context.add(ioStatistics);
            }
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case HFLUSH,
                    StreamCapabilities.HSYNC,
                    StreamCapabilities.IOSTATISTICS,
                    StreamCapabilities.IOSTATISTICS_CONTEXT -> true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return ioStatistics;
    }

    @Override
    public String toString() {
        return "TatamiOutputStream[" + writer.file() + "]";
    }

    /** From any thread: the file system has ended, and its client goes on for others. */
    void giveUp() {
        writer.giveUp();
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private interface Write {
        void run() throws IOException;
    }

    private static void translated(Write write) throws IOException {
        try {
            write.run();
        } catch (IOException e) {
            throw ExceptionTranslator.translate(e);
        }
    }
}
