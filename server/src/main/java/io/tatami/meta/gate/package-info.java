/**
 * Handles, rights, proofs and credentials: how they are signed, and when they are too old. Imported by the operations
 * and the service of {@code io.tatami.meta}.
 */
@NullMarked
package io.tatami.meta.gate;

import org.jspecify.annotations.NullMarked;
