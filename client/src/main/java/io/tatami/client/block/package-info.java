/**
 * Streams of checksummed frames to and from block servers, one block each. The block server uses them for the next
 * server of a pipeline and for repairs. Imports no other package of the client. Imported by {@code client},
 * {@code client.meta}, {@code client.file..}, {@code block..} and {@code benchmarks.workload.bulk}.
 */
@NullMarked
package io.tatami.client.block;

import org.jspecify.annotations.NullMarked;
