package io.tatami.block.service.memory;

import java.nio.file.Path;

/** Memory in a file that a client on this host has mapped. Safe for use by many threads. */
sealed interface LentMemory permits ReadMemory, WrittenMemory {
    Path path();

    /** Gives the memory back to the system, as far as it is the server's; false where it is still in use. */
    boolean tryFree();
}
