package io.tatami.meta.service.file;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.meta.state.BlockCopies.Copy;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The length at which a block is sealed, by what its recorded servers say of their copies after they were fenced. A
 * copy is a <i>candidate</i> if its bytes have the committed generation or a later one, it has the number that is
 * recorded, and it has all that was committed or acknowledged to a writer that lives. The length is
 *
 * <ol>
 *   <li>what the block was cut to, if it was;
 *   <li>else that of the longest candidate that is finalized: it may have been acknowledged as the whole block;
 *   <li>else the least held by an assured candidate. It has all that it ever acknowledged, and an acknowledgement needs
 *       every copy: nothing behind the shortest of them was acknowledged, so one of them is enough;
 *   <li>else the longest durable one, once every recorded server has answered: only the silent one may have the bytes.
 * </ol>
 *
 * A block has no byte if nothing is needed of it and every server says that it has none, or one that is assured.
 */
final class SealLength {
    private static final String REMEDY =
            ": start it again, or give it up by 'tatami admin block give-up' if it is lost";

    private final BlockId block;
    private final Bounds bounds;
    private final List<Answer> answers;

    private SealLength(BlockId block, Bounds bounds, List<Answer> answers) {
        this.block = block;
        this.bounds = bounds;
        this.answers = answers;
    }

    /**
     * What is known of the block at its home.
     *
     * @param committed the generation; copies below it are void
     * @param committedBytes what no copy that counts is shorter than
     * @param acknowledgedBytes what was acknowledged to a writer that lives; 0 where it is gone
     * @param cutBytes what it is cut to
     */
    record Bounds(Generation committed, long committedBytes, long acknowledgedBytes, OptionalLong cutBytes) {
        long leastBytes() {
            return Math.max(1, Math.max(committedBytes, acknowledgedBytes));
        }
    }

    /** What became of the fence at one recorded copy. */
    sealed interface Answer {
        Copy recorded();
    }

    /** The server did not answer, or could not look. */
    record Silent(Copy recorded, String why) implements Answer {}

    /** The server has no such block, and cannot begin it any more. */
    record Absent(Copy recorded) implements Answer {}

    /**
     * The server has a copy.
     *
     * @param number of that copy, which may be another one than the recorded
     * @param heldBytes in memory or on the device
     * @param assured whether it has all that it ever acknowledged
     */
    record Present(
            Copy recorded,
            int number,
            Generation generation,
            long heldBytes,
            long durableBytes,
            boolean finalized,
            boolean assured)
            implements Answer {
        /** Up to where its bytes are sure to be those that were written. */
        long reachBytes() {
            return finalized || assured ? heldBytes : durableBytes;
        }
    }

    /** What follows. */
    sealed interface Verdict {}

    /** These servers are to finalize it at this length. */
    record Length(long bytes, List<ServerId> servers) implements Verdict {}

    /** Nobody has a byte that was acknowledged, and nobody needs one. */
    record Unwritten() implements Verdict {}

    /** No length can be told before another answer. */
    record Wait(String why) implements Verdict {}

    /** @param answers one for each recorded server that was not given up */
    static Verdict of(BlockId block, Bounds bounds, List<Answer> answers) {
        return new SealLength(block, bounds, answers).verdict();
    }

    private Verdict verdict() {
        if (candidates().findAny().isEmpty()) {
            return withoutCandidate();
        }
        OptionalLong bytes = bounds.cutBytes();
        if (bytes.isEmpty()) {
            bytes = lengths(Present::finalized, Present::reachBytes).max();
        }
        if (bytes.isEmpty()) {
            bytes = lengths(Present::assured, Present::reachBytes).min();
        }
        if (bytes.isEmpty() && silent().findAny().isPresent()) {
            return new Wait("bytes of " + block + " may be only on " + describeSilent() + REMEDY);
        }
        long length = bytes.orElseGet(
                () -> lengths(copy -> true, Present::durableBytes).max().orElseThrow());
        return new Length(
                length,
                candidates()
                        .filter(copy -> copy.reachBytes() >= length)
                        .map(copy -> copy.recorded().server())
                        .toList());
    }

    /**
     * Whether a copy says that the writer did not finish the block, which every server of the block has on its device
     * before the writer begins the next one: no block behind it has a byte.
     */
    static boolean isUnfinished(Bounds bounds, List<Answer> answers) {
        return present(bounds, answers)
                .anyMatch(copy -> !copy.finalized() && copy.generation().equals(bounds.committed()));
    }

    private Verdict withoutCandidate() {
        boolean needed = bounds.committedBytes() > 0 || bounds.acknowledgedBytes() > 0;
        if (!needed && present().anyMatch(copy -> copy.assured() && copy.heldBytes() == 0)) {
            return new Unwritten();
        }
        if (silent().findAny().isPresent()) {
            return new Wait("no server that answers has the " + bounds.leastBytes() + " bytes of " + block
                    + " that are needed; waiting for " + describeSilent() + REMEDY);
        }
        if (needed || present().anyMatch(copy -> copy.heldBytes() > 0)) {
            return new Wait("every server of " + block + " answered, and none has the " + bounds.leastBytes()
                    + " bytes that are needed: bring a volume back that has them, or delete the file");
        }
        return new Unwritten();
    }

    private Stream<Present> present() {
        return present(bounds, answers);
    }

    /** Copies that are what the home recorded, however short. */
    private static Stream<Present> present(Bounds bounds, List<Answer> answers) {
        return answers.stream()
                .filter(Present.class::isInstance)
                .map(Present.class::cast)
                .filter(copy -> copy.number() == copy.recorded().number())
                .filter(copy -> !copy.generation().isBelow(bounds.committed()));
    }

    private Stream<Present> candidates() {
        return present().filter(copy -> copy.reachBytes() >= bounds.leastBytes());
    }

    private LongStream lengths(Predicate<Present> which, ToLongFunction<Present> bytes) {
        return candidates().filter(which).mapToLong(bytes);
    }

    private Stream<Silent> silent() {
        return answers.stream().filter(Silent.class::isInstance).map(Silent.class::cast);
    }

    private String describeSilent() {
        return String.join(
                ", ",
                silent().map(answer ->
                                "block server " + answer.recorded().server().value() + " (" + answer.why() + ")")
                        .toList());
    }
}
