/** Hadoop's shell on HDFS and on Tatami, command by command. Imported by nothing. */
@NullMarked
package io.tatami.hadoop.shell;

import org.jspecify.annotations.NullMarked;
