package io.tatami.linear.check;

import io.tatami.linear.check.FileTree.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Histories of the model itself, which are linearizable as they are made. */
final class RandomHistory {
    private static final int STEP = 10;

    private RandomHistory() {}

    /**
     * Calls one after the other, each with an interval around its moment that overlaps with some neighbours', and some
     * with their outcome forgotten.
     */
    static List<Operation> make(Random random, int calls) {
        List<Operation> history = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        FileTree tree = FileTree.EMPTY;
        for (int i = 1; i <= calls; i++) {
            Call call = open.isEmpty() || random.nextInt(8) > 0
                    ? RandomCalls.call(random, i)
                    : Call.close(open.remove(random.nextInt(open.size())));
            Answer answer = tree.apply(call);
            tree = answer.after();
            String result = answer.results().iterator().next();
            if (call.file() == i && result.equals("ok")) {
                open.add(i);
            }
            long moment = 1_000 + (long) i * STEP;
            Operation operation = new Operation(
                    i, moment - random.nextInt(4 * STEP), moment + random.nextInt(4 * STEP), call, result);
            history.add(random.nextInt(12) == 0 ? operation.forgotten() : operation);
        }
        return history;
    }
}
