/**
 * What travels between processes: the frame layout, the protocol's versions, and methods as typed values; the protobuf
 * messages are in {@code io.tatami.protocol.wire}. May be imported by every package but {@code io.tatami.base} and
 * {@code io.tatami.conf}.
 */
@NullMarked
package io.tatami.protocol;

import org.jspecify.annotations.NullMarked;
