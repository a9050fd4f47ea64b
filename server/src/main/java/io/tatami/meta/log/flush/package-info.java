/**
 * How many files become durable together, by a call of the C library that Java does not have. For the replicated log
 * alone.
 */
@NullMarked
package io.tatami.meta.log.flush;

import org.jspecify.annotations.NullMarked;
