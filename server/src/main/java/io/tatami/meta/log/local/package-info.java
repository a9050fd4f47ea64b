/**
 * The log of a group that one server holds: files of entries beside the group's store, and what becomes of them when
 * the store is opened. Imported by whoever opens such a group.
 */
@NullMarked
package io.tatami.meta.log.local;

import org.jspecify.annotations.NullMarked;
