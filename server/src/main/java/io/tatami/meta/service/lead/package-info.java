/**
 * A group on its leader: the request queue, batches, snapshot reads, and the leader's state in memory. Imports neither
 * {@code identity}, {@code replicate} nor {@code host} of the service. Imported by {@code meta.service.host},
 * {@code meta.service.replicate} and {@code server.metrics}.
 */
@NullMarked
package io.tatami.meta.service.lead;

import org.jspecify.annotations.NullMarked;
