package io.tatami.block.service;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.Volume;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many streams of one kind are open on each volume of a server, with the same limit for each, so that streams that a
 * volume holds up take nothing from the others. Safe for use by many threads.
 */
final class VolumeStreams {
    private final String kind;
    private final String setting;
    private final int limit;
    private final Map<Volume, OnVolume> volumes = new HashMap<>();

    private record OnVolume(String path, AtomicInteger open) {}

    /**
     * @param kind what errors call the streams
     * @param setting where the limit comes from
     * @param limit for each volume
     */
    VolumeStreams(String kind, String setting, int limit, List<VolumeSet.ServedVolume> served) {
        this.kind = kind;
        this.setting = setting;
        this.limit = limit;
        served.forEach(volume -> volumes.put(volume.volume(), new OnVolume(volume.path(), new AtomicInteger())));
    }

    /** One stream, counted until it is closed; a second close does nothing. */
    static final class Counted implements AutoCloseable {
        private final AtomicInteger open;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Counted(AtomicInteger open) {
            this.open = open;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                open.decrementAndGet();
            }
        }
    }

    /** @throws TatamiException BUSY where as many are open on the volume as may be */
    Counted open(Volume volume) throws TatamiException {
        OnVolume on = on(volume);
        if (on.open().getAndUpdate(now -> now < limit ? now + 1 : now) >= limit) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    limit + " " + kind + " streams of volume " + on.path() + " are open already, the most that " + setting
                            + " allows");
        }
        return new Counted(on.open());
    }

    /** How many are open on a volume now. */
    int count(Volume volume) {
        return on(volume).open().get();
    }

    private OnVolume on(Volume volume) {
        OnVolume on = volumes.get(volume);
        if (on == null) {
            throw new IllegalArgumentException("volume " + volume.id() + " is not of this server");
        }
        return on;
    }
}
