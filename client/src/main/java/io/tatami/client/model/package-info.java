/**
 * The values that the client library takes and gives: paths, statuses, listings, plans, settings. Imports nothing else
 * of the client, and is imported by every package of it but {@code block}, and by its users.
 */
@NullMarked
package io.tatami.client.model;

import org.jspecify.annotations.NullMarked;
