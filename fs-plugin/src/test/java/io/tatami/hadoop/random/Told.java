package io.tatami.hadoop.random;

import org.apache.hadoop.fs.FileStatus;

/**
 * What a status tells, but for what two clusters cannot have in common: a time tells only that it is recent, unless
 * somebody has set it to one that is not.
 */
record Told(
        String path,
        Kind kind,
        int mode,
        boolean hasAcl,
        String owner,
        String group,
        long length,
        int replication,
        long blockSizeBytes,
        long modifiedMillis,
        long accessedMillis) {
    enum Kind {
        DIRECTORY,
        FILE,
        LINK
    }

    /** Stands for all times at which a test may run: those between 2001 and 2096. */
    static final long RECENT_MILLIS = 2_000_000_000_000L;

    private static final long RECENT_MILLIS_MIN = 1_000_000_000_000L;
    private static final long RECENT_MILLIS_MAX = 4_000_000_000_000L;

    static Told of(FileStatus status) {
        Kind kind = status.isDirectory() ? Kind.DIRECTORY : status.isSymlink() ? Kind.LINK : Kind.FILE;
        return new Told(
                status.getPath().toUri().getPath(),
                kind,
                status.getPermission().toShort(),
                status.hasAcl(),
                status.getOwner(),
                status.getGroup(),
                status.getLen(),
                status.getReplication(),
                status.getBlockSize(),
                coarse(status.getModificationTime()),
                coarse(status.getAccessTime()));
    }

    private static long coarse(long millis) {
        return millis > RECENT_MILLIS_MIN && millis < RECENT_MILLIS_MAX ? RECENT_MILLIS : millis;
    }

    @Override
    public String toString() {
        return path + " " + kind + " " + Integer.toOctalString(mode) + (hasAcl ? "+ " : " ") + owner + ":" + group
                + " length=" + length + " x" + replication + " block=" + blockSizeBytes + " modified="
                + time(modifiedMillis) + " accessed=" + time(accessedMillis);
    }

    private static String time(long millis) {
        return millis == RECENT_MILLIS ? "recently" : String.valueOf(millis);
    }
}
