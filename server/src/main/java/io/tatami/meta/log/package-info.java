/**
 * The log of a group: commits, entries, and the applying of entries to the store. Imported by the metadata service; its
 * kinds are {@code local} and {@code raft}.
 */
@NullMarked
package io.tatami.meta.log;

import org.jspecify.annotations.NullMarked;
