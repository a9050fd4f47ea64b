/**
 * The client's side of the data port: streams of checksummed frames to and from block servers, one block at a time.
 * Imports no other package of the client. Imported by {@code io.tatami.client} and its packages {@code meta} and
 * {@code file}, by the block server, whose chain and repairs are clients too, and by the bulk benchmark.
 */
@NullMarked
package io.tatami.client.block;

import org.jspecify.annotations.NullMarked;
