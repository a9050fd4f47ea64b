/**
 * Files as streams of bytes. A writer keeps a short file in memory and writes a longer one to blocks; a reader chooses
 * among the copies of each block. Imports {@code write}, and {@code entry}, {@code meta}, {@code block} and
 * {@code model} of the client. Imported by {@code client}, {@code hadoop..} and {@code benchmarks.harness.client}.
 */
@NullMarked
package io.tatami.client.file;

import org.jspecify.annotations.NullMarked;
