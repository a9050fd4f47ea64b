/**
 * Open files as Hadoop's input and output streams, and their end when the file system is closed. Imports
 * {@code convert} of the plug-in. Imported by {@code hadoop}.
 */
@NullMarked
package io.tatami.hadoop.stream;

import org.jspecify.annotations.NullMarked;
