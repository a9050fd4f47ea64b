package io.tatami.meta.log.raft.snapshot;

/**
 * When a replica writes out what its store has in memory: all of it as a snapshot after so many entries or bytes of the
 * log, and more often what is new, as that is what a start has to apply again before the replica can lead. Used by one
 * thread.
 */
public final class SnapshotRhythm {
    private static final int FLUSH_ENTRIES = 2_000;

    private final int entriesMax;
    private final long bytesMax;
    private int entries;
    private long bytes;

    /**
     * @param entriesMax the number of entries after which a snapshot is due, if their bytes do not make it due before
     * @param bytesMax their length in the log, in bytes
     */
    public SnapshotRhythm(int entriesMax, long bytesMax) {
        this.entriesMax = entriesMax;
        this.bytesMax = bytesMax;
    }

    /** Counts an entry; true where that makes a snapshot due, once until another is. */
    public boolean isDueAfter(int entryBytes) {
        entries++;
        bytes += entryBytes;
        if (entries < entriesMax && bytes < bytesMax) {
            return false;
        }
        taken();
        return true;
    }

    /** Where {@link #isDueAfter} was false: whether it is time to write out what is new. */
    public boolean isFlushDue() {
        return entries % FLUSH_ENTRIES == 0;
    }

    /** Begins over a log of so many bytes that were not counted, so that it does not grow with each start. */
    public void begun(long logBytes) {
        entries = 0;
        bytes = logBytes;
    }

    /** Begins anew. */
    public void taken() {
        begun(0);
    }
}
