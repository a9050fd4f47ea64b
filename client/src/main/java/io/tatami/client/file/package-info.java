/**
 * Files as streams of bytes: the writer that moves from memory to blocks, and the reader over the copies of blocks.
 * Imported by {@code io.tatami.client}, the Hadoop plug-in and benchmarks.
 */
@NullMarked
package io.tatami.client.file;

import org.jspecify.annotations.NullMarked;
