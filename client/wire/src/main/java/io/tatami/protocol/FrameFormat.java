package io.tatami.protocol;

/**
 * The bytes of a frame. Everything on a connection is frames, one after the other, in both directions; numbers are
 * big-endian and unsigned.
 *
 * <pre>
 *  0        4      5       6       8         12              16            20
 * +--------+------+-------+-------+---------+---------------+-------------+--------+------+---------+
 * | length | kind | flags | zero  | call id | header length | body length | header | body | payload |
 * | u32    | u8   | u8    | u16   | u32     | u32           | u32         |        |      |         |
 * +--------+------+-------+-------+---------+---------------+-------------+--------+------+---------+
 *          |&lt;------------------------------ length bytes ------------------------------------->|
 * </pre>
 *
 * <ul>
 *   <li>{@code length} counts what follows it, so a frame takes {@code 4 + length} bytes; at least {@link #LENGTH_MIN},
 *       at most the limit of the receiver and never above {@link #FRAME_BYTES_MAX}.
 *   <li>{@code kind} is a {@link FrameKind}.
 *   <li>{@code flags} and {@code zero} are 0 in protocol version 1; a receiver refuses anything else, so that both stay
 *       free for later versions.
 *   <li>{@code call id} names the call or stream among those in flight on the connection; the client chooses it, and it
 *       is 0 in frames that concern the whole connection.
 *   <li>{@code header} and {@code body} are protobuf messages that the kind and the method name; the two lengths are
 *       each at most {@link #MESSAGE_BYTES_MAX}.
 *   <li>{@code payload} is what is left: raw bytes, only in DATA frames.
 * </ul>
 */
public final class FrameFormat {
    public static final int LENGTH_OFFSET = 0;
    public static final int KIND_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int FLAGS_OFFSET = KIND_OFFSET + Byte.BYTES;
    public static final int ZERO_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    public static final int CALL_ID_OFFSET = ZERO_OFFSET + Short.BYTES;
    public static final int HEADER_LENGTH_OFFSET = CALL_ID_OFFSET + Integer.BYTES;
    public static final int BODY_LENGTH_OFFSET = HEADER_LENGTH_OFFSET + Integer.BYTES;

    /** The fixed part, before the header. */
    public static final int PREFIX_BYTES = BODY_LENGTH_OFFSET + Integer.BYTES;

    /** The smallest value of the length field: a frame with nothing after its prefix. */
    public static final int LENGTH_MIN = PREFIX_BYTES - Integer.BYTES;

    /** No frame, its length field included, is larger, whatever is configured. */
    public static final int FRAME_BYTES_MAX = 16 << 20;

    /** Every peer takes frames up to this size, whatever it configured. */
    public static final int FRAME_BYTES_LEAST = 64 << 10;

    /** No header and no body is larger. */
    public static final int MESSAGE_BYTES_MAX = 4 << 20;

    /** "TTMI", the first field of the handshake messages. */
    public static final int MAGIC = 0x54544d49;

    private FrameFormat() {}
}
