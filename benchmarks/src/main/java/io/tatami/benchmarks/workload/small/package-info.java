/**
 * Crowds of small and middling files: loaded, listed, read back, and what room they take. Imported by the main class.
 */
@NullMarked
package io.tatami.benchmarks.workload.small;

import org.jspecify.annotations.NullMarked;
