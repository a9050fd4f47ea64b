/**
 * Calls to the metadata service: where groups and block servers are, how requests are numbered and tried again, and the
 * leases of open files. Imported by {@code io.tatami.client} and its packages {@code entry} and {@code file}; beside
 * them by the server's tools, for addresses, deadlines and pauses, and by the bulk benchmark.
 */
@NullMarked
package io.tatami.client.meta;

import org.jspecify.annotations.NullMarked;
