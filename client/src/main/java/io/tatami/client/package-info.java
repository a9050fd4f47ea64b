/**
 * The front of the client library: {@link io.tatami.client.TatamiClient}, one user's access to a cluster, and
 * {@link io.tatami.client.ClusterAdmin}, the commands of its operator. Imports the packages below it, and none of them
 * imports it. Imported by the operations of the Hadoop plug-in, the server's tools and benchmarks; knows nothing of
 * Hadoop.
 */
@NullMarked
package io.tatami.client;

import org.jspecify.annotations.NullMarked;
