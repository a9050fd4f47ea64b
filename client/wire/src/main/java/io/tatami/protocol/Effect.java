package io.tatami.protocol;

/** What a method does to the metadata, by which it is refused in safe mode and while a server's disk is full. */
public enum Effect {
    /** Nothing that has to be durable; what is written beside a read is left out where nothing may be written. */
    READS,
    /** Changes files or directories: refused in safe mode and on a full disk. */
    WRITES,
    /**
     * Deletes, shortens or ends: refused in safe mode, and goes on while the disk is full, so that there is room again.
     */
    FREES,
    /** What keeps the cluster itself going: refused in neither. */
    UPKEEP
}
