/**
 * Entries by their paths: cached handles of directories, statuses, listings, and changes of entries. Imports
 * {@code meta} and {@code model} of the client. Imported by {@code client}, {@code client.file} and
 * {@code benchmarks.workload.bulk}.
 */
@NullMarked
package io.tatami.client.entry;

import org.jspecify.annotations.NullMarked;
