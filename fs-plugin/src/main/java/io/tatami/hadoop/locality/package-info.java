/**
 * Why reads of a job or a file were remote: what block servers counted, joined with the history of MapReduce jobs.
 * Imports no other package of the plug-in. Imported by {@code benchmarks.workload.locality} and {@code hadoop}.
 */
@NullMarked
package io.tatami.hadoop.locality;

import org.jspecify.annotations.NullMarked;
