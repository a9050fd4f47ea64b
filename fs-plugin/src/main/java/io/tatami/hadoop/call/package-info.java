/**
 * Operations on paths, as HDFS answers them: what FileSystem and AbstractFileSystem have in common, over the clients of
 * the process. Imports only {@code io.tatami.hadoop.convert} of the plug-in, and is imported only by
 * {@code io.tatami.hadoop}.
 */
@NullMarked
package io.tatami.hadoop.call;

import org.jspecify.annotations.NullMarked;
