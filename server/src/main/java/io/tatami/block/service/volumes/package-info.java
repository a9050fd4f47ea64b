/**
 * All volumes of one server, the number of streams on each, and the orderly shutdown of the streams. Imports no other
 * package of the service. Imported by {@code benchmarks.workload.blocks}, {@code block.service},
 * {@code block.service.command}, {@code block.service.context}, {@code block.service.copy},
 * {@code block.service.moves}, {@code block.service.read}, {@code block.service.registration},
 * {@code block.service.report}, {@code block.service.write} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.service.volumes;

import org.jspecify.annotations.NullMarked;
