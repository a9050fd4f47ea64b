/**
 * JMH benchmarks of hot paths, run by {@code bin/tatami bench micro}. Those of package-private classes lie in their
 * packages, in this module.
 */
@NullMarked
package io.tatami.benchmarks.workload.micro;

import org.jspecify.annotations.NullMarked;
