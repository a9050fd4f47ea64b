/**
 * The interface of a group's log, and the format of its entries. The implementations are {@code local} and
 * {@code raft}, which it does not import. Imported by {@code meta.log.local}, {@code meta.log.raft},
 * {@code meta.service.lead}, {@code meta.service.replicate} and {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.log;

import org.jspecify.annotations.NullMarked;
