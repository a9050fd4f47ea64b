package io.tatami.benchmarks.workload.bulk;

import java.util.Locale;

/** What is done for a file's first block when the file is created. */
enum CreateMode {
    /** The shard grants a place from its credits, in the batch that makes the file: the product's way. */
    GRANTS(true),

    /**
     * As {@link #GRANTS}, and then the block server is asked to reserve room for that very block before the file counts
     * as created. The product has no such mode: this is what the client of this benchmark does.
     */
    ASKING(true),

    /** The file has no block: metadata alone. */
    METADATA(false);

    private final boolean hasBlock;

    CreateMode(boolean hasBlock) {
        this.hasBlock = hasBlock;
    }

    boolean hasBlock() {
        return hasBlock;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
