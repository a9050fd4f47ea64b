/**
 * Has copies of blocks made and given up: judges the blocks that wait, asks block servers for copies, and queues the
 * blocks of servers that are lost. Imported by {@code benchmarks.workload.simulate}, {@code meta.service.host} and
 * {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.copies;

import org.jspecify.annotations.NullMarked;
