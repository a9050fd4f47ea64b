package io.tatami.client.file;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.PendingFlush;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.file.write.BlockSequence;
import io.tatami.client.file.write.FileHome;
import io.tatami.client.meta.LeaseRenewer;
import io.tatami.client.meta.MetadataCall;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one file, from its end on. Used by one thread at a time, except {@link #giveUp}. Content of at most 16 KiB
 * stays in memory and is stored with the metadata at the close. Longer content, and content that is flushed, goes to
 * blocks.
 *
 * <p>While no program uses it, it keeps its chain of servers alive, and mends it, on threads of the client.
 *
 * <p>A failure that cannot be repaired is final: every later call throws it again, {@link #close} included. A thread
 * that is interrupted while it waits gets {@link InterruptedIOException}. The writer remains usable then, and
 * {@link #position} tells how many bytes it has taken.
 */
public final class FileWriter implements AutoCloseable {
    /**
     * The bytes that a writer keeps in its own memory at most. Kept small, because many writers may be open that write
     * little.
     */
    private static final int MEMORY_BYTES_MAX = 256 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(FileWriter.class);

    private final FileHome home;
    private final Clock clock;
    private final LeaseRenewer leases;
    private final OpenWriters resting;
    private final int inlineBytesMax;
    private final BlockSequence blocks;

    /** How many copies of each block the home waits for at the close; 0 for 1. */
    private final int copiesMin;

    private final MemoryContent memory;
    private final AtomicBoolean hadBlocks;
    private final LeaseRenewer.Holder lease = new LeaseRenewer.Holder() {
        @Override
        public void leaseLost() {
            lost = new TatamiException(
                    ErrorCode.LEASE_EXPIRED,
                    "the lease on " + file()
                            + " is lost: the file was recovered, deleted or taken over by another writer; open it again to write");
        }

        @Override
        public void clientClosed() {
            lost = new TatamiException(
                    ErrorCode.CANCELLED, "the client was closed before the file; close files before their file system");
        }
    };

    private final WriterTurn turn = new WriterTurn();

    private final OpenWriters.Member atRest = new OpenWriters.Member() {
        @Override
        public boolean keepAlive() {
            return inTurn(blocks::keepAlive);
        }

        @Override
        public boolean mend() {
            return inTurn(FileWriter.this::mendAtRest);
        }
    };

    /** Whether the content goes to blocks; false while all of it is in memory. */
    private boolean spilling;

    private int inlineBytesBefore;
    private long position;

    /** The call that closes the file; null until the content is complete. */
    private @Nullable MetadataCall<CompleteRequest, CompleteReply> completion;

    /** The newest refusal of a close that may be asked for again. */
    private @Nullable TatamiException refusedForNow;

    private volatile boolean closed;

    /** A close was begun, and may have ended the last block. */
    private volatile boolean closing;

    private volatile @Nullable TatamiException failure;
    private volatile @Nullable TatamiException lost;

    /**
     * What a writer needs beside its file.
     *
     * @param hadBlocks set at the close: whether the file has blocks
     */
    record Parts(
            FileHome home,
            BlockClient blocks,
            LeaseRenewer leases,
            OpenWriters resting,
            int inlineBytesMax,
            AtomicBoolean hadBlocks) {}

    /** @param blockBytes of the file that are in blocks */
    private FileWriter(Parts parts, Status status, long blockBytes, List<Grant> granted, int copiesMin) {
        this.home = parts.home();
        this.clock = parts.blocks().clock();
        this.leases = parts.leases();
        this.resting = parts.resting();
        this.inlineBytesMax = parts.inlineBytesMax();
        this.memory = new MemoryContent(MEMORY_BYTES_MAX);
        this.hadBlocks = parts.hadBlocks();
        this.blocks = new BlockSequence(home, parts.blocks(), status.getBlockSize(), blockBytes, granted);
        this.copiesMin = copiesMin;
    }

    /** A writer of a new file. */
    static FileWriter create(Parts parts, CreateReply created) {
        return new FileWriter(parts, created.getStatus(), 0, created.getGrantList(), created.getCopiesMin()).begin();
    }

    /** A writer at the end of an existing file. */
    static FileWriter append(Parts parts, AppendReply opened) {
        long blockBytes = opened.hasInline() ? 0 : opened.getStatus().getLength();
        FileWriter writer = new FileWriter(parts, opened.getStatus(), blockBytes, List.of(), opened.getCopiesMin());
        writer.position = opened.getStatus().getLength();
        if (opened.hasInline()) {
            writer.memory.take(opened.getInline().asReadOnlyByteBuffer());
            writer.inlineBytesBefore = opened.getInline().size();
        } else if (writer.position > 0) {
            writer.spilling = true;
        }
        if (opened.hasLastBlock()) {
            Generation committed = Generation.of(opened.getStatus().getBlock(0).getGeneration());
            writer.blocks.continueLast(opened.getLastBlock(), committed);
        }
        return writer.begin();
    }

    private FileWriter begin() {
        leases.add(home.file(), lease);
        resting.add(atRest);
        return this;
    }

    public FileId file() {
        return home.file();
    }

    /** The offset in the file of the next byte. */
    public long position() {
        return position;
    }

    /** The number of bytes that went to a block server of this host through shared memory. */
    public long sharedBytes() {
        return blocks.sharedBytes();
    }

    /** Takes all bytes. Waits while the window of unacknowledged bytes is full. The array may be reused on return. */
    public void write(byte[] bytes, int offset, int length) throws IOException {
        write(ByteBuffer.wrap(bytes, offset, length));
    }

    /** Takes all bytes between position and limit. */
    public void write(ByteBuffer bytes) throws IOException {
        requireTaking();
        int before = bytes.remaining();
        try {
            attempt(() -> take(bytes));
        } finally {
            position += before - bytes.remaining();
        }
    }

    /**
     * Returns when new readers see all bytes written and these survive the end of any process. They may be lost if the
     * host loses power; for that there is {@link #hsync}. The first flush in a block asks the file's home whether this
     * writer still holds the lease.
     *
     * @throws IOException also if the file was recovered, deleted or replaced: then no byte is promised that was not
     *     flushed before
     */
    public void hflush() throws IOException {
        requireTaking();
        attempt(() -> {
            if (spill()) {
                blocks.flush(false, false);
            }
        });
    }

    /**
     * Sends all bytes written, to be flushed as by {@link #hflush} or, if {@code durably}, as by {@link #hsync}.
     * Another thread may use the writer before the caller waits for the result.
     */
    public PendingFlush beginFlush(boolean durably) throws IOException {
        requireTaking();
        return attempted(() -> spill() ? blocks.beginFlush(durably) : PendingFlush.NOT_SENT);
    }

    /**
     * Returns when all bytes written are on the device of every server of the pipeline. They survive a power cut.
     *
     * @param recordLength whether the file's status shows the length from now on; costs one call each time
     */
    public void hsync(boolean recordLength) throws IOException {
        requireTaking();
        attempt(() -> {
            if (spill()) {
                blocks.flush(true, recordLength);
            }
        });
    }

    /**
     * Makes all bytes durable and closes the file. Does nothing after a success, and throws the same failure after a
     * failure. After an interrupt it may be called again and continues; nothing else may. So it may where it was
     * refused as BUSY: some block still had fewer copies than a close waits for.
     */
    @Override
    public void close() throws IOException {
        if (closed && failure == null) {
            return;
        }
        closing = true;
        attempt(this::complete);
        closed = true;
        release();
    }

    /** Whether nothing is left to do for this writer: it was closed or given up, or has failed for good. */
    public boolean hasEnded() {
        return closed || failure != null || lost != null;
    }

    /**
     * Gives the file up without closing it. It stays open in the cluster until its lease is recovered, and keeps the
     * bytes that were flushed. Does nothing after a successful close.
     */
    public void abort() {
        if (!closed) {
            closed = true;
            failure = new TatamiException(ErrorCode.CANCELLED, "the writer of " + home.file() + " was aborted");
            releaseUnlessInUse();
        }
    }

    /** Where the writer is in use, that thread does it when it is done. */
    private void releaseUnlessInUse() {
        if (turn.tryTake()) {
            release();
            turn.giveBack();
        }
    }

    /**
     * {@link #abort} for another thread: present and later calls of the writer's own thread fail. Does nothing after a
     * successful close.
     */
    public void giveUp() {
        lease.clientClosed();
        leases.remove(home.file(), lease);
        resting.remove(atRest);
    }

    /** A step that may be refused. */
    @FunctionalInterface
    private interface Step {
        void run() throws TatamiException;
    }

    /** A step with a result. */
    @FunctionalInterface
    private interface Work<T> {
        T run() throws TatamiException;
    }

    private void attempt(Step step) throws IOException {
        boolean unused = attempted(() -> {
            step.run();
            return true;
        });
    }

    private <T> T attempted(Work<T> work) throws IOException {
        awaitTurn();
        try {
            return attemptedNow(work);
        } finally {
            turn.giveBack();
        }
    }

    private void awaitTurn() throws IOException {
        try {
            while (!turn.take(clock)) {
                requireUsable();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    private InterruptedIOException interrupted(Exception cause) {
        InterruptedIOException interrupted = new InterruptedIOException("interrupted while writing " + home.file());
        interrupted.initCause(cause);
        return interrupted;
    }

    /**
     * For a thread that looks after the writer; true where a program uses it, or closes it. An abort meanwhile did not
     * wait.
     */
    private boolean inTurn(BooleanSupplier work) {
        return turn.lookAfter(() -> closing || hasEnded(), work, () -> {
            if (failure != null) {
                releaseUnlessInUse();
            }
        });
    }

    private boolean mendAtRest() {
        try {
            blocks.mend();
            return true;
        } catch (TatamiException e) {
            LOG.info("{}, which is open for writing and rests, cannot be mended now", home.file(), e);
            return false;
        }
    }

    private <T> T attemptedNow(Work<T> work) throws IOException {
        requireUsable();
        try {
            return work.run();
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted()) {
                throw interrupted(e);
            }
            if (e == refusedForNow) {
                throw e;
            }
            failure = e.code() == ErrorCode.FENCED ? whyFenced(e) : e;
            release();
            throw failure;
        }
    }

    /**
     * The reason why a block server fenced this writer, from the file's home: the file was deleted or recovered. The
     * server's own refusal if the home names none.
     */
    private TatamiException whyFenced(TatamiException fenced) {
        try {
            home.commitLength(List.of());
            return fenced;
        } catch (TatamiException e) {
            e.addSuppressed(fenced);
            return e.code() == ErrorCode.LEASE_EXPIRED ? e : fenced;
        }
    }

    private void requireTaking() throws TatamiException {
        requireUsable();
        if (closing) {
            throw new TatamiException(
                    ErrorCode.CANCELLED,
                    "the writer of " + home.file() + " takes no more bytes, as its close was begun; call close again");
        }
    }

    private void requireUsable() throws TatamiException {
        TatamiException reason = failure != null ? failure : lost;
        if (reason != null) {
            throw reason.again();
        }
        if (closed) {
            throw new TatamiException(ErrorCode.CANCELLED, "the writer of " + home.file() + " is closed");
        }
    }

    private void release() {
        leases.remove(home.file(), lease);
        resting.remove(atRest);
        if (completion != null) {
            completion.abandon();
        }
        blocks.release();
    }

    private void take(ByteBuffer bytes) throws TatamiException {
        if (!spilling && memory.sizeBytes() + (long) bytes.remaining() <= MEMORY_BYTES_MAX) {
            memory.take(bytes);
            return;
        }
        drainMemory();
        blocks.write(bytes, bytes.remaining());
    }

    /** Moves the content in memory to blocks. Returns false if there is nothing to move or flush. */
    private boolean spill() throws TatamiException {
        if (!spilling && memory.sizeBytes() == inlineBytesBefore) {
            return false;
        }
        drainMemory();
        return true;
    }

    private void drainMemory() throws TatamiException {
        spilling = true;
        for (ByteBuffer part = memory.next(); part != null; part = memory.next()) {
            blocks.write(part, memory.unreadBytes());
        }
    }

    private void complete() throws TatamiException {
        MetadataCall<CompleteRequest, CompleteReply> asked = completion;
        if (asked == null) {
            asked = completion();
            completion = asked;
        } else {
            asked.extend(home.deadline());
        }
        try {
            asked.await();
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.BUSY) {
                completion = null;
                refusedForNow = e;
            }
            throw e;
        }
    }

    private MetadataCall<CompleteRequest, CompleteReply> completion() throws TatamiException {
        boolean fitsInEntry = !spilling && memory.sizeBytes() <= inlineBytesMax;
        hadBlocks.set(!fitsInEntry);
        if (fitsInEntry) {
            return home.completion(List.of(), memory.toByteString(), blocks.unused());
        }
        if (!spilling) {
            blocks.completeContent();
        }
        drainMemory();
        blocks.finish(position);
        if (copiesMin > 1) {
            blocks.reportFinished();
        }
        List<Long> unused = blocks.unused();
        return home.completion(blocks.finished(), null, unused);
    }
}
