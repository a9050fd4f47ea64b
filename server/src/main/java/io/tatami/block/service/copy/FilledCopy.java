package io.tatami.block.service.copy;

import io.tatami.block.volume.BlockWriter;

/**
 * A copy all of whose bytes are on the device, not flushed.
 *
 * @param writer holds no buffer; is to be finished or aborted
 */
record FilledCopy(Pull pull, BlockWriter writer) {}
