/**
 * Files that outlive a crash: durable writes, envelopes, locks, and the points at which tests stop a process. Imported
 * by servers.
 */
@NullMarked
package io.tatami.files;

import org.jspecify.annotations.NullMarked;
