/**
 * Operations on paths with the results and exceptions of HDFS, shared by FileSystem and AbstractFileSystem. Imports
 * {@code convert} of the plug-in. Imported by {@code benchmarks.workload.locality} and {@code hadoop}.
 */
@NullMarked
package io.tatami.hadoop.call;

import org.jspecify.annotations.NullMarked;
