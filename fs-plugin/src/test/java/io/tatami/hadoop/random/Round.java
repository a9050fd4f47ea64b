package io.tatami.hadoop.random;

import static org.junit.jupiter.api.Assertions.fail;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Operations of one seed, one after the other, on a directory of its own in each cluster and on a model: each has to
 * come to the same on all three, and from time to time all that is there is compared. Used by one thread.
 */
final class Round {
    private static final int SHARED_DIRECTORY_MODE = 0777;
    private static final String SUPERGROUP = "supergroup";

    private final Clusters clusters;
    private final Coverage coverage;
    private final long seed;
    private final int compareEvery;
    private final String base;
    private final ModelDirectory root =
            new ModelDirectory(Caller.SUPERUSER.name(), SUPERGROUP, AccessList.ofMode(0755));
    private final ModelTree tree = new ModelTree(root);
    private final List<RandomOperation> sinceComparison = new ArrayList<>();

    /** @param compareEvery operations, all that is there is compared */
    Round(Clusters clusters, Coverage coverage, long seed, int compareEvery) {
        this.clusters = clusters;
        this.coverage = coverage;
        this.seed = seed;
        this.compareEvery = compareEvery;
        this.base = "/random" + seed;
    }

    void run(int operations) throws IOException {
        for (Subject subject : all()) {
            subject.mkdirs(base, SHARED_DIRECTORY_MODE);
            subject.setPermission(base, SHARED_DIRECTORY_MODE);
            subject.setOwner(base, Caller.SUPERUSER.name(), Caller.GROUPS.get(0));
        }
        Operations next = new Operations(new Draw(new Random(seed), root, base));
        for (int number = 1; number <= operations; number++) {
            compare(number, next.next());
            if (number % compareEvery == 0 || number == operations) {
                compareAll(number);
            }
        }
        for (Subject subject : all()) {
            subject.delete(base, true);
        }
    }

    private List<Subject> all() {
        return List.of(
                clusters.onHdfs(Caller.SUPERUSER),
                clusters.onTatami(Caller.SUPERUSER),
                new ModelSubject(tree, Caller.SUPERUSER));
    }

    private void compare(int number, RandomOperation operation) {
        ModelSubject model = new ModelSubject(tree, operation.caller());
        Outcome onModel;
        Outcome onTatami;
        if (Deviations.mayBeUnsupported(operation)) {
            onTatami = clusters.outcomeOnTatami(operation);
            if (Deviations.isUnsupported(onTatami)) {
                return;
            }
            onModel = Outcome.of(operation, model);
        } else {
            onModel = Outcome.of(operation, model);
            if (Deviations.isAvoided(onModel)) {
                return;
            }
            onTatami = clusters.outcomeOnTatami(operation);
        }
        sinceComparison.add(operation);
        Outcome onHdfs = clusters.outcomeOnHdfs(operation);
        Outcome expected = Deviations.expected(operation, onHdfs, onModel);
        boolean same = onTatami.isAsGoodAs(expected) || Deviations.isSameButForOrder(operation, onTatami, expected);
        if (!same || !onModel.isAsGoodAs(expected)) {
            fail(told(number) + "\n" + operation + "\nHDFS:   " + onHdfs + "\nTatami: " + onTatami + "\nmodel:  "
                    + onModel);
        }
        coverage.add(operation, onHdfs);
    }

    private void compareAll(int number) throws IOException {
        Snapshot onHdfs = Snapshot.of(clusters.onHdfs(Caller.SUPERUSER), base);
        Snapshot onTatami = Snapshot.of(clusters.onTatami(Caller.SUPERUSER), base);
        Snapshot onModel = Snapshot.of(new ModelSubject(tree, Caller.SUPERUSER), base);
        String difference = onHdfs.differenceTo(onTatami);
        String modelDifference = onHdfs.differenceTo(onModel);
        if (!difference.isEmpty() || !modelDifference.isEmpty()) {
            fail(told(number) + "\nHDFS and Tatami:" + difference + "\nHDFS and the model:" + modelDifference
                    + "\nafter "
                    + String.join(
                            "\n",
                            sinceComparison.stream()
                                    .map(RandomOperation::toString)
                                    .toList()));
        }
        sinceComparison.clear();
    }

    private String told(int number) {
        return "RandomOperation " + number + " of seed " + seed
                + ". Once more, with all compared after each operation: -Dtatami.test.seed=" + seed
                + " -Dtatami.test.operations=" + number + " -Dtatami.test.compare=1";
    }
}
