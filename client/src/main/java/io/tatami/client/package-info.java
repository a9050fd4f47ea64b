/**
 * The entries of the client library: {@link io.tatami.client.TatamiClient} for one user's files, and
 * {@link io.tatami.client.ClusterAdmin} for the commands of an operator. Imports the packages below it, which do not
 * import it, and nothing of Hadoop. Imported by {@code hadoop.call}, {@code hadoop.locality}, {@code server..} and
 * {@code benchmarks..}.
 */
@NullMarked
package io.tatami.client;

import org.jspecify.annotations.NullMarked;
