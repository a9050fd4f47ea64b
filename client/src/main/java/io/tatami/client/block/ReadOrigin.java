package io.tatami.client.block;

import com.google.protobuf.ByteString;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;

/**
 * Who reads, and why this copy: for the statistics that block servers keep.
 *
 * @param context the caller context of the thread that opened the reader; empty for none
 * @param fileId 0 where the bytes are read for no file
 * @param host the reader's, as it calls itself; empty where it does not tell
 */
public record ReadOrigin(ByteString context, long fileId, String host, Reason reason, Distance distance) {
    /** Of readers that do not tell. */
    public static final ReadOrigin UNKNOWN =
            new ReadOrigin(ByteString.EMPTY, 0, "", Reason.UNKNOWN_REASON, Distance.UNKNOWN_DISTANCE);
}
