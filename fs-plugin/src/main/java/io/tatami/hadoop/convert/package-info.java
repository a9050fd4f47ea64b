/**
 * Hadoop's types made of ours, and ours of Hadoop's: paths, statuses, exceptions. Imports no other package of the
 * plug-in, and is imported only within it.
 */
@NullMarked
package io.tatami.hadoop.convert;

import org.jspecify.annotations.NullMarked;
