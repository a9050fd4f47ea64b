/**
 * Tatami as a file system of Hadoop: the implementations of FileSystem and AbstractFileSystem, and the shell. Imports
 * the packages below it, which do not import it. Only the plug-in and {@code auth} import Hadoop, apart from the
 * benchmarks. Imported by {@code benchmarks..} and {@code launch}.
 */
@NullMarked
package io.tatami.hadoop;

import org.jspecify.annotations.NullMarked;
