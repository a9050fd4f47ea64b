/**
 * Streams of checksummed frames to and from block servers, one block each. The block server uses them for the next
 * server of a pipeline and for repairs. Imports no other package of the client. Imported by
 * {@code benchmarks.workload.blocks}, {@code benchmarks.workload.bulk}, {@code block..}, {@code client},
 * {@code client.file..} and {@code client.meta}.
 */
@NullMarked
package io.tatami.client.block;

import org.jspecify.annotations.NullMarked;
