/**
 * Operations on paths with the results and exceptions of HDFS, shared by FileSystem and AbstractFileSystem. Imports
 * {@code convert} of the plug-in. Imported by {@code hadoop}.
 */
@NullMarked
package io.tatami.hadoop.call;

import org.jspecify.annotations.NullMarked;
