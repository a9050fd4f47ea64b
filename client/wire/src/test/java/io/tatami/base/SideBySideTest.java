package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.SideBySide.Answer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SideBySideTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void callsAreMadeAtOnceAndAnsweredInOrder() throws Exception {
        CyclicBarrier all = new CyclicBarrier(5);
        List<Answer<Integer, Integer>> answers =
                SideBySide.ask(List.of(4, 3, 2, 1, 0), LONG, number -> meetAndDouble(all, number));

        assertEquals(
                List.of(4, 3, 2, 1, 0), answers.stream().map(Answer::target).toList());
        assertEquals(List.of(8, 6, 4, 2, 0), answers.stream().map(Answer::value).toList());
    }

    @Test
    void aFailureIsOneAnswerAmongTheOthers() throws Exception {
        TatamiException refused = new TatamiException(ErrorCode.BUSY, "not now");

        List<Answer<Boolean, Integer>> answers = SideBySide.ask(List.of(true, false), LONG, fails -> {
            if (fails) {
                throw refused;
            }
            return 1;
        });

        assertEquals(List.of(new Answer<>(true, null, refused), new Answer<>(false, 1, null)), answers);
    }

    @Test
    void whatHangsBeyondTheBoundIsInterruptedAndToldAsLate() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);

        List<Answer<Integer, Integer>> answers =
                SideBySide.ask(List.of(1), Duration.ofSeconds(2), number -> hang(interrupted));

        assertTrue(interrupted.await(1, TimeUnit.MINUTES));
        assertNull(answers.get(0).value());
        TatamiException late = answers.get(0).failure();
        assertNotNull(late);
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
    }

    @Test
    void anInterruptOfTheCallerEndsTheWaitingAndIsKept() {
        CountDownLatch interrupted = new CountDownLatch(2);
        Thread.currentThread().interrupt();

        TatamiException failure = assertThrows(
                TatamiException.class, () -> SideBySide.ask(List.of(1, 2), LONG, number -> hang(interrupted)));

        assertTrue(Thread.interrupted());
        assertEquals(ErrorCode.CANCELLED, failure.code());
    }

    @Test
    void moreTargetsThanThreadsAreAllAsked() throws Exception {
        List<Integer> many = IntStream.range(0, 500).boxed().toList();

        List<Answer<Integer, Integer>> answers = SideBySide.ask(many, LONG, number -> number);

        assertEquals(many, answers.stream().map(Answer::value).toList());
    }

    @Test
    void aBugOfACallIsABugOfTheWhole() {
        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> SideBySide.ask(List.of(0), LONG, number -> 1 / number));

        assertTrue(failure.getCause() instanceof ArithmeticException, () -> "" + failure.getCause());
    }

    private static int meetAndDouble(CyclicBarrier all, int number) {
        try {
            all.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return 2 * number;
    }

    private static int hang(CountDownLatch interrupted) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.countDown();
        }
        return 0;
    }
}
