/** Frames and their messages as bytes, without the sockets that these come from and go to. */
@NullMarked
package io.tatami.rpc.netty.frame;

import org.jspecify.annotations.NullMarked;
