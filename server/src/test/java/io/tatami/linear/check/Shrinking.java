package io.tatami.linear.check;

import io.tatami.linear.check.Checker.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Makes a violation smaller, only by steps that no linearizable history would be made a violation by: the history is
 * cut off at a moment, what was under way then becomes unknown, and what changed nothing is left out.
 */
public final class Shrinking {
    private Shrinking() {}

    /** The same history where it is no violation, or none that is smaller is found. */
    public static List<Operation> shrink(Checker checker, List<Operation> history) {
        List<Operation> smaller = history;
        List<Long> ends = history.stream()
                .filter(operation -> !operation.isUnknown())
                .map(Operation::returned)
                .sorted()
                .toList();
        for (long end : ends) {
            List<Operation> beginning = until(history, end);
            if (isViolation(checker, beginning)) {
                smaller = beginning;
                break;
            }
        }
        for (Operation each : List.copyOf(smaller)) {
            boolean told = !each.isUnknown() && FileTree.changesNothing(each.call(), each.result());
            boolean asked = each.isUnknown() && !each.call().kind().isChange();
            if (told || asked) {
                List<Operation> without = new ArrayList<>(smaller);
                without.remove(each);
                smaller = isViolation(checker, without) ? without : smaller;
            }
        }
        return smaller;
    }

    private static List<Operation> until(List<Operation> history, long end) {
        return history.stream()
                .filter(operation -> operation.invoked() <= end)
                .map(operation -> operation.returned() > end ? operation.forgotten() : operation)
                .sorted(Comparator.comparingLong(Operation::invoked))
                .toList();
    }

    private static boolean isViolation(Checker checker, List<Operation> history) {
        return checker.check(history).verdict() == Verdict.VIOLATION;
    }
}
