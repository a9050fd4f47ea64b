/**
 * Calls and streams between processes as callers and handlers see them: the seam that a simulation can stand in for.
 * May be imported by every package but {@code io.tatami.base}, {@code io.tatami.conf} and {@code io.tatami.protocol}.
 */
@NullMarked
package io.tatami.rpc;

import org.jspecify.annotations.NullMarked;
