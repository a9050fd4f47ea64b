package io.tatami.hadoop.random;

import java.io.IOException;
import java.util.Set;

/** Where Tatami does not do what HDFS does; each of them stands in {@code docs/hadoop-semantics.md}. */
final class Deviations {
    private static final Set<String> READS = Set.of("read", "readAt", "checksum");
    private static final Set<String> DELETIONS = Set.of("delete", "deleteAll");
    private static final Set<String> WITHIN_TREE = Set.of("sticky", "access=ALL");

    private Deviations() {}

    /** Thrown by the model where the two would go apart for good, so that the operation is not done at all. */
    static final class Avoided extends RuntimeException {
        private static final long serialVersionUID = 1;

        Avoided(String why) {
            super(why);
        }
    }

    static boolean isAvoided(Outcome onModel) {
        return onModel.thrown() == Avoided.class;
    }

    /** Whether Tatami alone knows if it does it, so that it has to be asked first. */
    static boolean mayBeUnsupported(RandomOperation operation) {
        return operation.kind().equals("concat");
    }

    /**
     * Files are joined only where one shard has always had them, and none has to be rewritten; else nothing is done.
     */
    static boolean isUnsupported(Outcome onTatami) {
        String message = onTatami.message();
        return message.contains("was renamed from another shard")
                || message.contains("is stored inline and would have to be rewritten");
    }

    /** What Tatami and the model are to come to where HDFS comes to {@code onHdfs}. */
    static Outcome expected(RandomOperation operation, Outcome onHdfs, Outcome onModel) {
        return readsBehindClosedDirectory(operation, onModel) ? onModel : onHdfs;
    }

    /** HDFS tells whoever reads a path that he may not pass along what there is on it, before it refuses. */
    private static boolean readsBehindClosedDirectory(RandomOperation operation, Outcome onModel) {
        return READS.contains(operation.kind()) && onModel.reason().endsWith("access=EXECUTE");
    }

    /** Whether Tatami only tells another of several obstacles. */
    static boolean isSameButForOrder(RandomOperation operation, Outcome onTatami, Outcome expected) {
        return tellsAnotherOfTree(operation, onTatami, expected)
                || tellsStickyOfReplaced(operation, onTatami, expected);
    }

    /** HDFS does not look at the sticky bit above what a rename replaces; here it can come before another obstacle. */
    private static boolean tellsStickyOfReplaced(RandomOperation operation, Outcome onTatami, Outcome expected) {
        return operation.kind().equals("renameOverwriting")
                && onTatami.reason().equals("sticky")
                && expected.thrown() == IOException.class;
    }

    /** Of several things that stand in the way of deleting a tree, any may be told. */
    private static boolean tellsAnotherOfTree(RandomOperation operation, Outcome outcome, Outcome other) {
        return DELETIONS.contains(operation.kind())
                && outcome.thrown() == other.thrown()
                && WITHIN_TREE.stream().anyMatch(outcome.reason()::endsWith)
                && WITHIN_TREE.stream().anyMatch(other.reason()::endsWith);
    }
}
