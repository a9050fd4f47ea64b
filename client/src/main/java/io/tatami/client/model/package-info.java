/**
 * The values that the client library takes and returns: paths, statuses, listings, plans and settings; and what
 * commands tell of them as JSON. Imports no other package of the client. Imported by {@code client},
 * {@code client.entry}, {@code client.file..}, {@code client.meta}, {@code hadoop..}, {@code server..} and
 * {@code benchmarks..}.
 */
@NullMarked
package io.tatami.client.model;

import org.jspecify.annotations.NullMarked;
