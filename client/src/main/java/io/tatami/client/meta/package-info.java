/**
 * Talking to the metadata service: where groups are, how requests are numbered and tried again, cached handles, and the
 * leases of open files. May be imported by {@code io.tatami.client} and its file streams only.
 */
@NullMarked
package io.tatami.client.meta;

import org.jspecify.annotations.NullMarked;
