package io.tatami.cluster;

/**
 * How well the copies of one block that is final are, by the rules of {@link CopyJudge}: what checks, statuses and
 * block locations tell of it.
 *
 * @param state what it is counted as
 * @param good copies that count towards those that are asked for
 * @param lacking good copies that it is to have and has not: as many as hosts allow
 * @param surplus good copies beyond those asked for
 * @param beyondHosts copies that are asked for and that there are no hosts for
 * @param damaged copies that their server found damaged
 * @param spares copies that a seal left out
 * @param intended copies that are being made
 * @param lastCopy the file asks for more than one copy, and one more failure makes the block unreadable
 */
public record BlockHealth(
        State state,
        int good,
        int lacking,
        int surplus,
        int beyondHosts,
        int damaged,
        int spares,
        int intended,
        boolean lastCopy) {
    /** What a block is counted as: the worst that holds for it. */
    public enum State {
        /** It has the copies that it is to have. */
        HEALTHY,
        /** It has fewer good copies than are asked for and than there are hosts. */
        UNDER_REPLICATED,
        /** It has more than are asked for; some are about to be given up. */
        OVER_REPLICATED,
        /** It has as many as are asked for, and they are badly spread over hosts or racks. */
        MISREPLICATED,
        /** No copy can be read, and all that are left are damaged. */
        DAMAGED,
        /** No copy can be read, and none comes back by itself. */
        MISSING,
        /** No copy can be read now; a server that is silent, or a volume that does not serve, may have one. */
        UNKNOWN;

        /** Whether no copy can be read now: what Hadoop calls corrupt. */
        public boolean isUnreadable() {
            return switch (this) {
                case DAMAGED, MISSING, UNKNOWN -> true;
                case HEALTHY, UNDER_REPLICATED, OVER_REPLICATED, MISREPLICATED -> false;
            };
        }
    }

    /** Whether no copy can be read now. */
    public boolean isUnreadable() {
        return state.isUnreadable();
    }
}
