/**
 * A group while this server leads it: requests in their order, batches, snapshot reads, and everything a leader
 * remembers. Imported by the packages that open groups, {@code replicate} and {@code host}.
 */
@NullMarked
package io.tatami.meta.service.lead;

import org.jspecify.annotations.NullMarked;
