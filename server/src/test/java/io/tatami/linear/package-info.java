/**
 * Concurrent clients of a cluster to which mishaps happen, and whether what they were told is linearizable. Tests only.
 */
@NullMarked
package io.tatami.linear;

import org.jspecify.annotations.NullMarked;
