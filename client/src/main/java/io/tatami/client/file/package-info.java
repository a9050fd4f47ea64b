/**
 * Files as streams of bytes: the writer that moves from memory to blocks, and the reader over the copies of blocks. May
 * be imported by {@code io.tatami.client} and its users.
 */
@NullMarked
package io.tatami.client.file;

import org.jspecify.annotations.NullMarked;
