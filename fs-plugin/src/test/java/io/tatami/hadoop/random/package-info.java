/**
 * Random operations on Tatami, on HDFS and on a model of what both are to do, whose outcomes and trees are compared.
 * Imported by nobody.
 */
@NullMarked
package io.tatami.hadoop.random;

import org.jspecify.annotations.NullMarked;
