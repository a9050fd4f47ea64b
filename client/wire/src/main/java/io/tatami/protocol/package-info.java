/**
 * The protocol between processes: the layout of frames, protocol versions, limits, and methods as typed values. The
 * protobuf messages are in {@code protocol.wire}. Imports {@code base} only. Every package but {@code base} and
 * {@code conf} may import it.
 */
@NullMarked
package io.tatami.protocol;

import org.jspecify.annotations.NullMarked;
