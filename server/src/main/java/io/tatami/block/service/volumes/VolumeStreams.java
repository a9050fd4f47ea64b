package io.tatami.block.service.volumes;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.block.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many streams of one kind are open on each volume of a server, with the same limit for each, so that streams that
 * a volume holds up take nothing from the others. Safe for use by many threads.
 */
public final class VolumeStreams {
    private final String kind;
    private final String setting;
    private final int limit;
    private final Map<Volume, OnVolume> volumes = new ConcurrentHashMap<>();

    /** The streams of one volume. */
    private static final class OnVolume {
        private final String path;
        private int open;
        private boolean ended;

        OnVolume(String path) {
            this.path = path;
        }

        public synchronized boolean tryAdd(int limit) {
            boolean added = open < limit && !ended;
            open += added ? 1 : 0;
            return added;
        }

        public synchronized void end() {
            ended = true;
        }

        public synchronized boolean isEnded() {
            return ended;
        }

        public synchronized void remove() {
            open--;
            notifyAll();
        }

        public synchronized int open() {
            return open;
        }

        public synchronized boolean awaitNone(long limitMillis) throws InterruptedException {
            WaitLimit limit = WaitLimit.ofMillis(limitMillis);
            long leftMillis = limitMillis;
            while (open > 0 && leftMillis > 0) {
                wait(leftMillis);
                leftMillis = limit.leftMillis();
            }
            return open == 0;
        }
    }

    /**
     * @param kind what errors call the streams
     * @param setting where the limit comes from
     * @param limit for each volume
     */
    public VolumeStreams(String kind, String setting, int limit, List<VolumeSet.ServedVolume> served) {
        this.kind = kind;
        this.setting = setting;
        this.limit = limit;
        served.forEach(this::add);
    }

    /** Counts those of one more volume. */
    public void add(VolumeSet.ServedVolume served) {
        volumes.put(served.volume(), new OnVolume(served.path()));
    }

    /**
     * Opens no stream on a volume any more, as it is no longer served; open streams stay. To end all of them, call this
     * and then look for streams. A new stream shows itself first, and then asks {@link Counted#isEnded}. So it is found
     * by that look, or it ends by itself.
     */
    public void end(Volume volume) {
        OnVolume on = volumes.get(volume);
        if (on != null) {
            on.end();
        }
    }

    /** Forgets a volume, after {@link #end}; those that are open on it yet can be closed all the same. */
    public void remove(Volume volume) {
        volumes.remove(volume);
    }

    /** One stream, counted until it is closed; a second close does nothing. */
    public static final class Counted implements AutoCloseable {
        private final OnVolume on;
        private final AtomicBoolean closed = new AtomicBoolean();

        private final Volume volume;

        private Counted(OnVolume on, Volume volume) {
            this.on = on;
            this.volume = volume;
        }

        public Volume volume() {
            return volume;
        }

        /** Whether the volume is no longer served. */
        public boolean isEnded() {
            return on.isEnded();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                on.remove();
            }
        }
    }

    /**
     * @throws TatamiException BUSY where as many are open on the volume as may be; UNAVAILABLE where it is no longer
     *     served
     */
    public Counted open(Volume volume) throws TatamiException {
        OnVolume on = volumes.get(volume);
        if (on == null) {
            throw VolumeSet.takenOut(volume);
        }
        if (!on.tryAdd(limit)) {
            if (on.isEnded()) {
                throw VolumeSet.takenOut(volume);
            }
            throw new TatamiException(
                    ErrorCode.BUSY,
                    limit + " " + kind + " streams of volume " + on.path + " are open, the limit of " + setting);
        }
        return new Counted(on, volume);
    }

    /** How many are open on a volume now; 0 where it is not of this server. */
    public int count(Volume volume) {
        OnVolume on = volumes.get(volume);
        return on == null ? 0 : on.open();
    }

    /** Whether none is open on a volume, within {@code limitMillis}. */
    public boolean awaitNone(Volume volume, long limitMillis) throws InterruptedException {
        OnVolume on = volumes.get(volume);
        return on == null || on.awaitNone(limitMillis);
    }
}
