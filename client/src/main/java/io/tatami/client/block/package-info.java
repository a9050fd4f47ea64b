/**
 * The client's side of the data port: streams of checksummed frames to and from block servers, one block at a time. May
 * be imported by {@code io.tatami.client}, by its file streams, and by the server, whose chain and repairs are clients
 * too.
 */
@NullMarked
package io.tatami.client.block;

import org.jspecify.annotations.NullMarked;
