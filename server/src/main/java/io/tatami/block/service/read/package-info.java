/**
 * Read streams: sessions that take turns on the threads of their volume, and the ways in which bytes reach a reader.
 * Threads and time come from outside. Imported by the server alone.
 */
@NullMarked
package io.tatami.block.service.read;

import org.jspecify.annotations.NullMarked;
