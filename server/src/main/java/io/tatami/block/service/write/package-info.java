/**
 * Write streams: their sessions, the connection to the next server of the pipeline, and the choice of a volume for a
 * new block. Executors, clock and connections are passed in. Imported by {@code block.service} and
 * {@code block.service.command}.
 */
@NullMarked
package io.tatami.block.service.write;

import org.jspecify.annotations.NullMarked;
