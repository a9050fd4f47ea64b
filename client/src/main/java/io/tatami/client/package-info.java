/**
 * The client library: {@link io.tatami.client.TatamiClient} and the values it takes and gives. May be imported by the
 * Hadoop plug-in, the server's tools and benchmarks; knows nothing of Hadoop.
 */
@NullMarked
package io.tatami.client;

import org.jspecify.annotations.NullMarked;
