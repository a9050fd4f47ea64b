/**
 * {@code tatami bench micro}: JMH benchmarks of hot paths. A benchmark of a package-private class lies in the package
 * of that class, in this module. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.micro;

import org.jspecify.annotations.NullMarked;
