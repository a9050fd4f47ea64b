/**
 * Entries by their paths: cached handles of directories, statuses and listings, and every change of an entry. Imported
 * by {@code io.tatami.client} and its package {@code file}, and by the bulk benchmark.
 */
@NullMarked
package io.tatami.client.entry;

import org.jspecify.annotations.NullMarked;
