/**
 * The records in a metadata server's directory about the server: cluster, id, groups, and the servers that it last
 * knew. Imported by {@code meta.service.host}, {@code meta.service.replicate}, {@code server.cli} and
 * {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.identity;

import org.jspecify.annotations.NullMarked;
