/**
 * Typed settings, read from any source that maps keys to strings. Imports {@code base} only. Every package but
 * {@code base} may import it.
 */
@NullMarked
package io.tatami.conf;

import org.jspecify.annotations.NullMarked;
