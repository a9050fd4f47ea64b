/**
 * Conversions between Hadoop's types and Tatami's: paths, statuses and exceptions. Imports no other package of the
 * plug-in. Imported by {@code hadoop}, {@code hadoop.call} and {@code hadoop.stream}.
 */
@NullMarked
package io.tatami.hadoop.convert;

import org.jspecify.annotations.NullMarked;
