/** Ids, errors, checks, checksums and clocks. Imports no other package of Tatami. Every package may import it. */
@NullMarked
package io.tatami.base;

import org.jspecify.annotations.NullMarked;
