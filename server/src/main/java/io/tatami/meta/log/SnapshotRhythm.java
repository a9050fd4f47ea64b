package io.tatami.meta.log;

/** When a replica writes a snapshot: after so many entries or bytes of the log. Used by one thread. */
final class SnapshotRhythm {
    private final int entriesMax;
    private final long bytesMax;
    private int entries;
    private long bytes;

    SnapshotRhythm(RaftSettings settings) {
        this.entriesMax = settings.snapshotEntries();
        this.bytesMax = settings.snapshotBytes();
    }

    /** Counts an entry; true where that makes a snapshot due, once until another is. */
    boolean isDueAfter(int entryBytes) {
        entries++;
        bytes += entryBytes;
        if (entries < entriesMax && bytes < bytesMax) {
            return false;
        }
        taken();
        return true;
    }

    /** Begins anew. */
    void taken() {
        entries = 0;
        bytes = 0;
    }
}
