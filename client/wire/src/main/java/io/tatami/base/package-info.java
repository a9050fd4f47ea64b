/**
 * Ids, errors, checks, checksums and clocks: the words every other package speaks. Imports nothing of ours and may be
 * imported by all.
 */
@NullMarked
package io.tatami.base;

import org.jspecify.annotations.NullMarked;
