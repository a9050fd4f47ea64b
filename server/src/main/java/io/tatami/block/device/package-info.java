/**
 * Disks as Tatami sees them: aligned buffers and a device that is read, written and flushed around the page cache. The
 * only package of the server that touches {@code FileChannel}; imported by {@code io.tatami.block.volume} and by the
 * wiring.
 */
@NullMarked
package io.tatami.block.device;

import org.jspecify.annotations.NullMarked;
