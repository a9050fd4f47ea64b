package io.tatami.protocol;

/**
 * The versions of the protocol. A connection speaks the newest version that both sides know; a version is dropped only
 * when no supported release needs it.
 */
public final class ProtocolVersion {
    /** The oldest version this release speaks. */
    public static final int OLDEST = 1;

    /** The newest version this release speaks. */
    public static final int NEWEST = 1;

    /** What {@link #choose} answers when there is no common version. */
    public static final int NONE = 0;

    private ProtocolVersion() {}

    /** The newest version that both ranges contain, or {@link #NONE}. */
    public static int choose(int oursOldest, int oursNewest, int theirsOldest, int theirsNewest) {
        int newest = Math.min(oursNewest, theirsNewest);
        return newest >= Math.max(oursOldest, theirsOldest) ? newest : NONE;
    }
}
