/**
 * Hadoop's own contract tests, run on Tatami with the options that HDFS has and nothing left out. Imported by nobody.
 */
@NullMarked
package io.tatami.hadoop.contract;

import org.jspecify.annotations.NullMarked;
