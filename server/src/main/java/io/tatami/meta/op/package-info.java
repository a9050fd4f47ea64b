/**
 * One operation a file: each decides, from a state and a request alone, what changes and what is answered. Imported by
 * the metadata service only.
 */
@NullMarked
package io.tatami.meta.op;

import org.jspecify.annotations.NullMarked;
