package io.tatami.linear.check;

import java.util.Comparator;
import java.util.List;

/**
 * Says whether a history is linearizable: whether each operation can be given a moment between its invocation and its
 * return, such that {@link FileTree}, doing them one after the other, tells the results that were told (Herlihy and
 * Wing, "Linearizability: a correctness condition for concurrent objects", 1990).
 *
 * @param configurationsMax how many sets of operations done, with the tree they led to, are looked at in each part of a
 *     history before it is given up; bounds time and memory
 */
public record Checker(int configurationsMax) {
    /** Enough for histories of about eighty operations, of which ten have unknown outcomes; some 100 MiB at most. */
    public static final Checker DEFAULT = new Checker(200_000);

    /** The three answers. A history that is undecided has passed nothing. */
    public enum Verdict {
        LINEARIZABLE,
        VIOLATION,
        UNDECIDED
    }

    /**
     * @param configurations that were looked at
     * @param explanation of anything but LINEARIZABLE: the longest beginning that can be explained, and what then
     *     cannot
     */
    public record Result(Verdict verdict, long configurations, String explanation) {}

    /** Begins with an empty tree. */
    public Result check(List<Operation> history) {
        long configurations = 0;
        Result undecided = null;
        for (List<Operation> part : Parts.of(history)) {
            List<Operation> telling = part.stream()
                    .filter(operation ->
                            !operation.isUnknown() || operation.call().kind().isChange())
                    .sorted(Comparator.comparingLong(Operation::invoked))
                    .toList();
            Result result = new Search(telling, configurationsMax).run();
            configurations += result.configurations();
            if (result.verdict() == Verdict.VIOLATION) {
                return result;
            }
            undecided = result.verdict() == Verdict.UNDECIDED ? result : undecided;
        }
        return undecided == null ? new Result(Verdict.LINEARIZABLE, configurations, "") : undecided;
    }
}
