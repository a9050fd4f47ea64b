/**
 * Typed settings, read from any source that maps keys to strings. May be imported by every package but
 * {@code io.tatami.base}; imports nothing of ours but that.
 */
@NullMarked
package io.tatami.conf;

import org.jspecify.annotations.NullMarked;
