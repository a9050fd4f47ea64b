/** YARN as benchmarks and quickstart start it, and the jobs they run on it. Imported by those two. */
@NullMarked
package io.tatami.benchmarks.jobs;

import org.jspecify.annotations.NullMarked;
