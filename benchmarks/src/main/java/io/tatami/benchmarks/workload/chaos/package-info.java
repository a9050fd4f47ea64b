/**
 * {@code tatami bench chaos}: real servers are killed, cut off and broken while clients work, and everything that was
 * promised to these has to be there. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.chaos;

import org.jspecify.annotations.NullMarked;
