/** {@code tatami quickstart}: a cluster, a job over it, and what it showed. Imported by the command line only. */
@NullMarked
package io.tatami.benchmarks.quickstart;

import org.jspecify.annotations.NullMarked;
