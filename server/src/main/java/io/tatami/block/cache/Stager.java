package io.tatami.block.cache;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.block.device.HangPatience;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that stage for a {@link CacheTier}, one from each volume so that none waits for another, until it is
 * closed.
 */
public final class Stager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    private static final long WAIT_MILLIS = 1_000;

    private final CacheTier tier;
    private final UnitSource source;

    /** Each for the volume of its place. */
    private final List<Thread> threads = new ArrayList<>();

    private volatile boolean closed;

    /** @param source the tier's */
    public Stager(CacheTier tier, UnitSource source) {
        this.tier = tier;
        this.source = source;
        for (int number = 0; number < source.volumeCount(); number++) {
            int volume = number;
            Thread thread = Threads.daemon(() -> run(volume), "cache-stager-" + volume);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void run(int volume) {
        while (!closed) {
            try {
                tier.stageNext(volume, WAIT_MILLIS);
            } catch (RuntimeException e) {
                LOG.error("staging failed", e);
            }
        }
    }

    /**
     * Lets the runs of units under way end, and closes the tier. A thread that a device holds up which hangs is left to
     * the end of the process.
     */
    @Override
    public void close() throws TatamiException {
        closed = true;
        tier.end();
        boolean ended = HangPatience.await(
                this::awaitEnd, () -> tier.isStuck() || running().allMatch(source::isHanging));
        if (!ended) {
            running()
                    .forEach(volume -> LOG.warn(
                            "{} hangs, and is left to the end of this process",
                            threads.get(volume).getName()));
        }
        tier.close();
    }

    private boolean awaitEnd(long limitMillis) throws InterruptedException {
        OptionalInt first = running().findFirst();
        if (first.isPresent()) {
            threads.get(first.getAsInt()).join(limitMillis);
        }
        return running().findAny().isEmpty();
    }

    /** The volumes whose threads have not ended. */
    private IntStream running() {
        return IntStream.range(0, threads.size())
                .filter(volume -> threads.get(volume).isAlive());
    }
}
