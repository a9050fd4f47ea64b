/**
 * The log of a group on one server: its files, and their replay when the group's store is opened. Imported by
 * {@code meta.service.host}, {@code meta.service.replicate}, {@code server.node} and {@code benchmarks..}.
 */
@NullMarked
package io.tatami.meta.log.local;

import org.jspecify.annotations.NullMarked;
