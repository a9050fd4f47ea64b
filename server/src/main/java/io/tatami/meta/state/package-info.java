/**
 * What a metadata group stores, as pure data: keys, records, views and drafts; no I/O, no clock, no thread. Imported by
 * all of {@code io.tatami.meta}.
 */
@NullMarked
package io.tatami.meta.state;

import org.jspecify.annotations.NullMarked;
