package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.meta.service.file.SealLength.Absent;
import io.tatami.meta.service.file.SealLength.Answer;
import io.tatami.meta.service.file.SealLength.Bounds;
import io.tatami.meta.service.file.SealLength.Length;
import io.tatami.meta.service.file.SealLength.Present;
import io.tatami.meta.service.file.SealLength.Silent;
import io.tatami.meta.service.file.SealLength.Unwritten;
import io.tatami.meta.service.file.SealLength.Verdict;
import io.tatami.meta.service.file.SealLength.Wait;
import io.tatami.meta.state.BlockCopies.Copy;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The length of a seal: each rule by itself, and all of them over every state of three servers. */
final class SealLengthTest {
    private static final BlockId BLOCK = new BlockId(7);
    private static final Generation COMMITTED = Generation.of(5);

    private static Copy copy(int server) {
        return new Copy(new ServerId(server), 0);
    }

    private static Present writing(int server, long held, long durable, boolean assured) {
        return new Present(copy(server), 0, COMMITTED, held, durable, false, assured);
    }

    private static Present assured(int server, long held) {
        return writing(server, held, 0, true);
    }

    private static Present booted(int server, long durable) {
        return writing(server, durable, durable, false);
    }

    private static Present finalized(int server, long length) {
        return new Present(copy(server), 0, COMMITTED, length, length, true, true);
    }

    private static Silent silent(int server) {
        return new Silent(copy(server), "no route");
    }

    private static Bounds bounds(long committed, long acknowledged) {
        return new Bounds(COMMITTED, committed, acknowledged, OptionalLong.empty());
    }

    private static Verdict verdict(Bounds bounds, Answer... answers) {
        return SealLength.of(BLOCK, bounds, List.of(answers));
    }

    private static Length length(long bytes, int... servers) {
        List<ServerId> ids = new ArrayList<>();
        for (int server : servers) {
            ids.add(new ServerId(server));
        }
        return new Length(bytes, ids);
    }

    @Test
    void longestFinalizedCopyDecides() {
        assertEquals(length(9, 1), verdict(bounds(0, 0), finalized(1, 9), finalized(2, 7), assured(3, 8)));
        assertEquals(length(7, 1, 2, 3), verdict(bounds(0, 0), finalized(1, 7), assured(2, 8), assured(3, 7)));
    }

    @Test
    void leastHeldAssuredCopyDecidesAndOneAnswerIsEnough() {
        assertEquals(length(4, 1, 2), verdict(bounds(0, 0), assured(1, 6), assured(2, 4), silent(3)));
        assertEquals(length(6, 1), verdict(bounds(0, 0), assured(1, 6), silent(2), silent(3)));
    }

    @Test
    void copyOfABootedHostDoesNotCutTheOthers() {
        assertEquals(length(6, 1, 3), verdict(bounds(0, 0), assured(1, 6), booted(2, 2), booted(3, 7)));
    }

    @Test
    void withoutAnAssuredCopyEveryServerIsAwaited() {
        Wait wait = assertInstanceOf(Wait.class, verdict(bounds(0, 0), booted(1, 6), booted(2, 4), silent(3)));
        assertTrue(wait.why().contains("block server 3 (no route)"), wait.why());
        assertTrue(wait.why().contains("give-up"), wait.why());
        assertEquals(length(6, 1), verdict(bounds(0, 0), booted(1, 6), booted(2, 4), new Absent(copy(3))));
    }

    @Test
    void bytesThatAreHeldAndNotDurableCountOnlyWhereTheCopyIsAssured() {
        assertEquals(length(3, 1), verdict(bounds(0, 0), writing(1, 8, 3, false)));
        assertEquals(length(8, 1), verdict(bounds(0, 0), writing(1, 8, 3, true)));
    }

    @Test
    void copiesThatWereLeftOutBeforeAreNoCandidates() {
        Present old = new Present(copy(1), 0, Generation.of(4), 3, 3, true, true);
        Present other = new Present(copy(2), 8, COMMITTED, 3, 3, true, true);
        assertEquals(length(9, 3), verdict(bounds(0, 0), old, other, assured(3, 9)));
        assertInstanceOf(Wait.class, verdict(bounds(0, 0), old, other, silent(3)));
        assertInstanceOf(Unwritten.class, verdict(bounds(0, 0), old, other, new Absent(copy(3))));
    }

    @Test
    void copyThatHoldsLessThanIsNeededDecidesNothing() {
        assertEquals(length(9, 2), verdict(bounds(0, 5), assured(1, 4), assured(2, 9)));
        assertEquals(length(9, 2), verdict(bounds(5, 0), finalized(1, 4), assured(2, 9)));
        assertInstanceOf(Wait.class, verdict(bounds(0, 5), assured(1, 4), silent(2)));
        assertInstanceOf(Wait.class, verdict(bounds(5, 0), assured(1, 4), new Absent(copy(2))));
    }

    @Test
    void cutGoesToEveryCopyThatReachesIt() {
        Bounds cut = new Bounds(COMMITTED, 4, 0, OptionalLong.of(4));
        assertEquals(length(4, 1, 2), verdict(cut, finalized(1, 9), finalized(2, 9), silent(3)));
        assertEquals(length(4, 1, 2), verdict(cut, finalized(1, 4), finalized(2, 9)));
        assertInstanceOf(Wait.class, verdict(cut, silent(1), silent(2)));
    }

    @Test
    void blockIsUnwrittenIfEveryServerSaysSoOrOneThatIsAssured() {
        assertInstanceOf(Unwritten.class, verdict(bounds(0, 0), new Absent(copy(1)), assured(2, 0)));
        assertInstanceOf(Unwritten.class, verdict(bounds(0, 0)));
        assertInstanceOf(Wait.class, verdict(bounds(0, 0), new Absent(copy(1)), silent(2)));
        assertInstanceOf(Wait.class, verdict(bounds(0, 0), booted(1, 0), silent(2)));
        assertInstanceOf(Unwritten.class, verdict(bounds(0, 0), assured(1, 0), silent(2)));
        assertInstanceOf(Wait.class, verdict(bounds(0, 0), new Absent(copy(1)), writing(2, 3, 0, false)));
        assertInstanceOf(Wait.class, verdict(bounds(1, 0), new Absent(copy(1))));
        assertInstanceOf(Wait.class, verdict(bounds(0, 1), new Absent(copy(1))));
    }

    /**
     * Every history of a block on three servers, of up to two bytes. The writer was acknowledged {@code acknowledged}
     * bytes in the memory of each copy and {@code durable} of them on each device; copies have as many or more, and
     * those of hosts that were booted have lost some that were not durable. Whoever of them answers, nothing that was
     * promised is lost.
     */
    @Test
    void nothingPromisedIsLostInAnyStateOfThreeServers() {
        int judged = 0;
        for (int acknowledged = 0; acknowledged <= 2; acknowledged++) {
            for (int durable = 0; durable <= acknowledged; durable++) {
                List<Present> states = states(acknowledged, durable);
                for (Present first : states) {
                    for (Present second : states) {
                        for (Present third : states) {
                            judged += judge(acknowledged, durable, List.of(first, at(2, second), at(3, third)));
                        }
                    }
                }
            }
        }
        assertTrue(judged > 10_000, judged + " cases");
    }

    private static Present at(int server, Present state) {
        return new Present(
                copy(server),
                state.number(),
                state.generation(),
                state.heldBytes(),
                state.durableBytes(),
                state.finalized(),
                state.assured());
    }

    /** What a copy may be that has acknowledged so much. */
    private static List<Present> states(int acknowledged, int durable) {
        List<Present> states = new ArrayList<>();
        for (int held = 0; held <= 2; held++) {
            for (int flushed = durable; flushed <= held; flushed++) {
                if (held >= acknowledged) {
                    states.add(writing(1, held, flushed, true));
                }
                // A boot leaves what is durable, and perhaps more of what was held.
                states.add(writing(1, held, flushed, false));
            }
            if (held >= acknowledged) {
                states.add(finalized(1, held));
            }
        }
        return states;
    }

    /** All subsets of them answer, for a dead writer and for one that lives. */
    private static int judge(int acknowledged, int durable, List<Present> copies) {
        boolean allBooted = copies.stream().noneMatch(copy -> copy.assured() || copy.finalized());
        long promised = allBooted ? durable : acknowledged;
        int judged = 0;
        for (int answering = 0; answering < 8; answering++) {
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                answers.add((answering & 1 << i) != 0 ? copies.get(i) : silent(i + 1));
            }
            for (int known : new int[] {0, acknowledged}) {
                Bounds bounds = bounds(durable, known);
                Verdict verdict = SealLength.of(BLOCK, bounds, answers);
                String which = "acknowledged " + acknowledged + ", durable " + durable + ", known " + known + ": "
                        + answers + " -> " + verdict;
                if (verdict instanceof Length length) {
                    assertTrue(length.bytes() >= Math.max(promised, known), which);
                    assertTrue(length.bytes() >= durable, which);
                    requireHeld(length, answers, which);
                } else if (verdict instanceof Unwritten) {
                    assertTrue(promised == 0 && known == 0, which);
                    assertTrue(answering == 7 || answers.stream().anyMatch(SealLengthTest::isAssuredOfNothing), which);
                } else {
                    boolean mayWait = answering != 7 || known > promised || hasUnsureBytes(copies);
                    assertTrue(mayWait, which);
                }
                judged++;
            }
        }
        return judged;
    }

    private static boolean isAssuredOfNothing(Answer answer) {
        return answer instanceof Present present && present.assured() && present.heldBytes() == 0;
    }

    private static boolean hasUnsureBytes(List<Present> copies) {
        return copies.stream().anyMatch(copy -> copy.heldBytes() > copy.reachBytes());
    }

    private static void requireHeld(Length length, List<Answer> answers, String which) {
        assertTrue(!length.servers().isEmpty(), which);
        for (Answer answer : answers) {
            if (length.servers().contains(answer.recorded().server())) {
                Present present = assertInstanceOf(Present.class, answer, which);
                assertTrue(present.reachBytes() >= length.bytes(), which);
            }
        }
    }
}
