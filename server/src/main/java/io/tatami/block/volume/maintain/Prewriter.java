package io.tatami.block.volume.maintain;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.FirstWrites;
import io.tatami.block.volume.Volume;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a volume file written some way ahead of its blocks ({@link FirstWrites}). Runs passes on a thread of its own,
 * no faster than {@link #BYTES_PER_SECOND_MAX}, and only while nobody else is at the device. Its methods may be called
 * by any thread.
 */
public final class Prewriter {
    private static final Logger LOG = LoggerFactory.getLogger(Prewriter.class);

    private static final long BYTES_PER_SECOND_MAX = 256L << 20;
    private static final long LOOK_MILLIS = 50;

    private final Volume volume;
    private final long aheadBytes;
    private final PacedPass pass;

    /** @param aheadBytes how far, at each end of the free room; 0 for not at all */
    public Prewriter(Volume volume, Clock clock, long aheadBytes) {
        this.volume = volume;
        this.aheadBytes = aheadBytes;
        this.pass = new PacedPass("prewriter-" + volume.id(), clock, BYTES_PER_SECOND_MAX);
    }

    /** Begins a pass, unless one is under way. It ends when enough is written. */
    public void start() {
        if (aheadBytes > 0) {
            pass.start(this::runPass);
        }
    }

    /** Has the pass under way end soon. */
    public void end() {
        pass.end();
    }

    /** Whether the pass that is to end has ended, within {@code limitMillis}. */
    public boolean awaitEnd(long limitMillis) throws InterruptedException {
        return pass.awaitEnd(limitMillis);
    }

    /**
     * One pass, on the calling thread.
     *
     * @return how many bytes were written
     * @throws TatamiException as {@link FirstWrites#writeNext}; UNAVAILABLE once the volume was closed
     */
    public long prewrite() throws TatamiException {
        pass.begin();
        long writtenBytes = 0;
        long stepBytes = 1;
        while (stepBytes > 0 && mayGoOn(writtenBytes)) {
            volume.throwIfStopped();
            stepBytes = volume.firstWrites().writeNext(aheadBytes);
            writtenBytes += stepBytes;
        }
        return writtenBytes;
    }

    private boolean mayGoOn(long writtenBytes) {
        boolean goesOn = pass.mayGoOn(writtenBytes);
        while (goesOn && volume.isBusy()) {
            goesOn = pass.rest(LOOK_MILLIS);
        }
        return goesOn;
    }

    private void runPass() {
        try {
            long writtenBytes = prewrite();
            if (writtenBytes > 0) {
                LOG.info("wrote {} bytes of volume {} ahead of its blocks", writtenBytes, volume.id());
            }
        } catch (TatamiException e) {
            LOG.warn("volume {} is not written ahead of its blocks", volume.id(), e);
        }
    }
}
