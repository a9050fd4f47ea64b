/**
 * {@code tatami bench small}: many small and medium files are loaded, listed and read; the space that they take is
 * measured. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.small;

import org.jspecify.annotations.NullMarked;
