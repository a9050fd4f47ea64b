/**
 * Block devices: aligned buffers, direct reads, writes and flushes that bypass the page cache, and the detection of
 * slow and hung devices. The only package of the block server that uses {@code FileChannel}. Imported by
 * {@code benchmarks.workload.blocks}, {@code block..}, {@code server.node} and {@code server.status}.
 */
@NullMarked
package io.tatami.block.device;

import org.jspecify.annotations.NullMarked;
