package io.tatami.client.file;

/** How a reader expects to be used; a hint that changes how far it reads ahead, never what it reads. */
public enum ReadPolicy {
    /** Long runs until a seek shows otherwise. */
    ADAPTIVE,
    /** From somewhere to the end, or the end of a split. */
    SEQUENTIAL,
    /** Short reads here and there. */
    RANDOM
}
