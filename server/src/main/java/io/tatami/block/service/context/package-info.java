/**
 * The settings, counters, threads and failures of one block server, shared by its parts. Imports
 * {@code service.volumes}, and is imported by every other package of the service.
 */
@NullMarked
package io.tatami.block.service.context;

import org.jspecify.annotations.NullMarked;
