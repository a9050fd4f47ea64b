/**
 * {@code tatami bench ceiling}: what many registered block servers cost the metadata servers, and where that ends.
 * Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.ceiling;

import org.jspecify.annotations.NullMarked;
