/**
 * Durability of many files at once: by the system call {@code syncfs} where the kernel reports its errors, else file by
 * file. Imported by {@code meta.log.raft} and {@code meta.log.raft.snapshot}.
 */
@NullMarked
package io.tatami.meta.log.flush;

import org.jspecify.annotations.NullMarked;
