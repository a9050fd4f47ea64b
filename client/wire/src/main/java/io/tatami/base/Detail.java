package io.tatami.base;

import java.io.Serializable;

/** What a program has to know of a failure beside its code: one record for each meaning. Immutable. */
public sealed interface Detail extends Serializable
        permits Denial,
                Detail.NoDetail,
                Detail.Leader,
                Detail.LinkTarget,
                Detail.HeldLease,
                Detail.DamagedChunk,
                Detail.RoomLeft,
                Detail.Obstacle,
                Detail.StoredInline {
    Detail NONE = new NoDetail();

    /** The code says all. */
    record NoDetail() implements Detail {}

    /**
     * With {@link ErrorCode#NOT_LEADER}: the server that leads the group.
     *
     * @param port from 0 to 65,535
     */
    record Leader(String host, int port) implements Detail {
        public static final int PORT_MAX = 65_535;

        public Leader {
            Check.check(port >= 0 && port <= PORT_MAX, "no server listens on port %d", port);
        }
    }

    /** With {@link ErrorCode#UNRESOLVED_LINK}: where the symlink leads, as it was given. */
    record LinkTarget(String target) implements Detail {}

    /**
     * With {@link ErrorCode#LEASE_HELD}: which file is open.
     *
     * @param writer {@link SessionId#NONE} where only the file's home knows it
     */
    record HeldLease(FileId file, SessionId writer) implements Detail {}

    /**
     * With {@link ErrorCode#CORRUPT}: the chunk that fails its checksum.
     *
     * @param offsetBytes of the chunk in its block
     */
    record DamagedChunk(long offsetBytes) implements Detail {
        public DamagedChunk {
            Check.check(offsetBytes >= 0, "a chunk at %d", offsetBytes);
        }
    }

    /** With {@link ErrorCode#NO_SPACE}: how long the block may be at most, as it cannot be given more. */
    record RoomLeft(long bytes) implements Detail {
        public RoomLeft {
            Check.check(bytes >= 0, "room for %d bytes", bytes);
        }
    }

    /** With {@link ErrorCode#NOT_A_DIRECTORY}: the file on the way, which the message names. */
    record Obstacle(String path) implements Detail {}

    /** With {@link ErrorCode#UNSUPPORTED}: a file that would have to be rewritten to a block. */
    record StoredInline(String name) implements Detail {}
}
