/**
 * How a shard serves files: which operation answers which method, what takes several steps because a file's name and
 * home are in two shards, and how files are closed whose writers are gone. Imported by the list of a shard's parts.
 */
@NullMarked
package io.tatami.meta.service.file;

import org.jspecify.annotations.NullMarked;
