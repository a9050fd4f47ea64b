package io.tatami.linear.check;

import io.tatami.linear.check.Checker.Result;
import io.tatami.linear.check.Checker.Verdict;
import io.tatami.linear.check.FileTree.Answer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The search for an order of one part of a history: depth first as in Wing and Gong, "Testing and verifying concurrent
 * objects" (1993), and never twice from the same operations done with the same tree, after Lowe, "Testing for
 * linearizability" (2017). What would change nothing is done as soon as it may be and fits: every order in which it
 * comes later is one in which it can come now. Used once.
 */
final class Search {
    private final List<Operation> operations;
    private final int configurationsMax;
    private final Set<Configuration> seen = new HashSet<>();
    private boolean exhausted;

    /** Where the longest beginning that could be explained has led. */
    private BitSet furthest = new BitSet();

    private FileTree furthestTree = FileTree.EMPTY;

    private record Configuration(BitSet done, FileTree tree) {}

    /** @param operations in the order of their invocations */
    Search(List<Operation> operations, int configurationsMax) {
        this.operations = operations;
        this.configurationsMax = configurationsMax;
    }

    Result run() {
        boolean found = goOn(new BitSet(), FileTree.EMPTY);
        Verdict verdict = found ? Verdict.LINEARIZABLE : exhausted ? Verdict.UNDECIDED : Verdict.VIOLATION;
        return new Result(verdict, seen.size(), found ? "" : explanation(verdict));
    }

    /** Whether the rest can be put in order behind what is done. @param before is not kept */
    private boolean goOn(BitSet before, FileTree tree) {
        BitSet done = (BitSet) before.clone();
        List<Integer> next = next(done);
        while (doWhatChangesNothing(done, tree, next)) {
            next = next(done);
        }
        if (done.cardinality() >= furthest.cardinality()) {
            furthest = done;
            furthestTree = tree;
        }
        if (isComplete(done)) {
            return true;
        }
        if (seen.size() >= configurationsMax) {
            exhausted = true;
            return false;
        }
        return seen.add(new Configuration(done, tree)) && anyOf(next, done, tree);
    }

    private boolean anyOf(List<Integer> next, BitSet done, FileTree tree) {
        for (int index : next) {
            Operation operation = operations.get(index);
            Answer answer = answer(tree, operation);
            boolean fits = operation.isUnknown() ? answer.after() != tree : answer.allows(operation.result());
            if (fits) {
                BitSet more = (BitSet) done.clone();
                more.set(index);
                if (goOn(more, answer.after())) {
                    return true;
                }
                if (exhausted) {
                    return false;
                }
            }
        }
        return false;
    }

    /** That a file was lost is told by what shows it, and happens just before that. */
    private static Answer answer(FileTree tree, Operation operation) {
        return operation.isUnknown()
                ? tree.apply(operation.call())
                : tree.losing(operation.call(), operation.result()).apply(operation.call());
    }

    private boolean doWhatChangesNothing(BitSet done, FileTree tree, List<Integer> next) {
        boolean any = false;
        for (int index : next) {
            Operation operation = operations.get(index);
            if (!operation.isUnknown() && FileTree.changesNothing(operation.call(), operation.result())) {
                Answer answer = tree.apply(operation.call());
                if (answer.after() == tree && answer.allows(operation.result())) {
                    done.set(index);
                    any = true;
                }
            }
        }
        return any;
    }

    /** What began before everything that is not done returned; what is known to have been done first. */
    private List<Integer> next(BitSet done) {
        long firstReturn = Operation.NEVER;
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            firstReturn = Math.min(firstReturn, operations.get(i).returned());
        }
        List<Integer> known = new ArrayList<>();
        List<Integer> unknown = new ArrayList<>();
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            Operation operation = operations.get(i);
            if (operation.invoked() > firstReturn) {
                break;
            }
            (operation.isUnknown() ? unknown : known).add(i);
        }
        known.addAll(unknown);
        return known;
    }

    private boolean isComplete(BitSet done) {
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            if (!operations.get(i).isUnknown()) {
                return false;
            }
        }
        return true;
    }

    private String explanation(Verdict verdict) {
        StringBuilder text = new StringBuilder()
                .append(verdict == Verdict.VIOLATION ? "no order explains" : "given up, with no order found yet for")
                .append(" all ")
                .append(operations.size())
                .append(" operations; ")
                .append(furthest.cardinality())
                .append(" of them can lead to ")
                .append(furthestTree)
                .append(", and then none of these fits:\n");
        for (int index : next(furthest)) {
            Operation operation = operations.get(index);
            if (!operation.isUnknown()) {
                text.append("  ")
                        .append(operation)
                        .append(" (would be told ")
                        .append(furthestTree.apply(operation.call()).results())
                        .append(")\n");
            }
        }
        return text.toString();
    }
}
