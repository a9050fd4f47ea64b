/** The bytes of frames and of the messages in them, independent of sockets. Imported by {@code rpc.netty..}. */
@NullMarked
package io.tatami.rpc.netty.frame;

import org.jspecify.annotations.NullMarked;
