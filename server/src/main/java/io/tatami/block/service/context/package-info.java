/**
 * What all parts of one block server share: settings, counters, threads and the handling of failures. Imports
 * {@code service.volumes}, and is imported by every other package of the service.
 */
@NullMarked
package io.tatami.block.service.context;

import org.jspecify.annotations.NullMarked;
