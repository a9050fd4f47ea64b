/**
 * Files on the leader of a shard: the handlers of requests, the flows for files with name and home in two shards, and
 * the recovery of files after the loss of their writer. Imported by {@code meta.service.host} and {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.file;

import org.jspecify.annotations.NullMarked;
