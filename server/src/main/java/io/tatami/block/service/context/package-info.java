/**
 * Settings, metrics, threads and failures of one block server, shared by the packages of the service. Imports
 * {@code service.volumes} of the service. Imported by {@code benchmarks.workload.blocks}, {@code block.service},
 * {@code block.service.command}, {@code block.service.copy}, {@code block.service.memory}, {@code block.service.moves},
 * {@code block.service.read}, {@code block.service.registration}, {@code block.service.report},
 * {@code block.service.write}, {@code server.cli}, {@code server.metrics} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.service.context;

import org.jspecify.annotations.NullMarked;
