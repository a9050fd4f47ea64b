package io.tatami.linear.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.linear.check.Checker.Result;
import io.tatami.linear.check.Checker.Verdict;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the model did is accepted however wide the intervals are; what is changed in it is noticed, where it can be. */
class RandomHistoriesTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final int HISTORIES = 300;
    private static final int CALLS = 50;

    /** What can be wrong in a history. */
    private enum Mutation {
        /** A change that was done is told to have been refused. */
        OK_TO_ERROR,
        /** A change that was refused is told to have been done. */
        ERROR_TO_OK,
        /** A refusal of another kind. */
        OTHER_ERROR,
        /** A name is missing from a listing. */
        NAME_LOST,
        /** A listing shows a name too many. */
        NAME_TOO_MANY,
        /** A reader sees another file. */
        OTHER_FILE,
        /** A reader sees nothing where there was something. */
        UNSEEN,
        /** Something happens long after it did. */
        LATER,
        /** Something happens long before it did. */
        EARLIER
    }

    @Test
    void whatTheModelDidIsAccepted() {
        for (long seed = SEED; seed < SEED + HISTORIES; seed++) {
            List<Operation> history = RandomHistory.make(new Random(seed), CALLS);
            Result result = Checker.DEFAULT.check(history);
            String what = "seed " + seed + ": " + result.explanation() + History.text(history);
            assertEquals(Verdict.LINEARIZABLE, result.verdict(), what);
        }
    }

    @Test
    void mostOfWhatIsChangedIsNoticed() {
        Map<Mutation, int[]> counts = new EnumMap<>(Mutation.class);
        for (long seed = SEED; seed < SEED + HISTORIES; seed++) {
            for (Mutation mutation : Mutation.values()) {
                Random random = new Random(seed * Mutation.values().length + mutation.ordinal());
                List<Operation> history = new ArrayList<>(RandomHistory.make(random, CALLS));
                if (mutate(history, mutation, random)) {
                    int[] count = counts.computeIfAbsent(mutation, key -> new int[2]);
                    count[0]++;
                    count[1] += Checker.DEFAULT.check(history).verdict() == Verdict.VIOLATION ? 1 : 0;
                }
            }
        }
        int made = 0;
        int noticed = 0;
        for (Mutation mutation : Mutation.values()) {
            int[] count = counts.getOrDefault(mutation, new int[2]);
            System.out.println(mutation + ": " + count[1] + " of " + count[0] + " noticed");
            assertTrue(count[1] > 0, mutation + " was never noticed");
            made += count[0];
            noticed += count[1];
        }
        assertTrue(noticed * 2 > made, noticed + " of " + made + " noticed");
    }

    /** Returns whether there was something to be changed so. */
    private static boolean mutate(List<Operation> history, Mutation mutation, Random random) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < history.size(); i++) {
            order.add(random.nextInt(order.size() + 1), i);
        }
        for (int index : order) {
            Operation before = history.get(index);
            Operation after = before.isUnknown() ? before : mutated(before, mutation);
            if (!after.equals(before)) {
                history.set(index, after);
                return true;
            }
        }
        return false;
    }

    private static Operation mutated(Operation operation, Mutation mutation) {
        String result = operation.result();
        boolean isChange = operation.call().kind().isChange();
        boolean isDone = result.equals("ok") || result.equals("true");
        boolean isListing = result.startsWith("[");
        return switch (mutation) {
            case OK_TO_ERROR -> isChange && isDone ? operation.withResult("NOT_FOUND") : operation;
            case ERROR_TO_OK -> isChange && !isDone ? operation.withResult(success(operation.call())) : operation;
            case OTHER_ERROR -> result.equals("NOT_FOUND") ? operation.withResult("ALREADY_EXISTS") : operation;
            case NAME_LOST -> isListing ? operation.withResult(result.replaceFirst("\\[[^ \\]]+ ?", "[")) : operation;
            case NAME_TOO_MANY ->
                isListing && !result.contains("h=") ? operation.withResult(oneMore(result)) : operation;
            case OTHER_FILE -> operation.withResult(result.replaceFirst("(open|file):\\d+", "$1:999"));
            case UNSEEN ->
                !isChange && (result.equals("dir") || (result.contains(":") && !isListing))
                        ? operation.withResult("NOT_FOUND")
                        : operation;
            case LATER -> isDone ? moved(operation, 250) : operation;
            case EARLIER -> isDone ? moved(operation, -250) : operation;
        };
    }

    private static String success(Call call) {
        return switch (call.kind()) {
            case MKDIR, MKDIRS, DELETE, DELETE_ALL -> "true";
            case CREATE, OVERWRITE, CLOSE, RENAME, REPLACE, STATUS, LIST -> "ok";
        };
    }

    private static String oneMore(String listing) {
        return listing.equals("[]") ? "[h=open:?]" : listing.substring(0, listing.length() - 1) + " h=open:?]";
    }

    private static Operation moved(Operation operation, long by) {
        return new Operation(
                operation.client(),
                operation.invoked() + by,
                operation.returned() + by,
                operation.call(),
                operation.result());
    }
}
