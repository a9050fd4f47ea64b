/**
 * Tests of the client library on a cluster in memory, behind real sockets: the groups of the metadata service with
 * their real operations, and block servers that fail as they are told. Imported by nobody.
 */
@NullMarked
package io.tatami.client.memory;

import org.jspecify.annotations.NullMarked;
