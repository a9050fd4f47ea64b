/** YARN as daemons of this host, and the word count. Imported by the jobs and by the quickstart; imports host only. */
@NullMarked
package io.tatami.benchmarks.harness.yarn;

import org.jspecify.annotations.NullMarked;
