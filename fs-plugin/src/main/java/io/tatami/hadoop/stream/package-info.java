/**
 * Open files as Hadoop's streams, and what becomes of them when their file system ends. Imports only
 * {@code io.tatami.hadoop.convert} of the plug-in, and is imported only by {@code io.tatami.hadoop}.
 */
@NullMarked
package io.tatami.hadoop.stream;

import org.jspecify.annotations.NullMarked;
