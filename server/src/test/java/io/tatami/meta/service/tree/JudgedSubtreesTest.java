package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.tree.PlanOutdatedException;
import io.tatami.meta.op.tree.wire.Place;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class JudgedSubtreesTest {
    private final JudgedSubtrees judged = new JudgedSubtrees();

    private static Place place(Long... above) {
        return Place.newBuilder().addAllAboveId(List.of(above)).setName("new").build();
    }

    private CompletableFuture<String> change(Place place) {
        return judged.changing(place, "/path", () -> CompletableFuture.completedFuture("changed"));
    }

    @Test
    void judgementBeginsWhenTheChangesBeforeItAreThrough() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        CompletableFuture<String> unused = judged.changing(place(1L, 5L), "/a", () -> first);
        CompletableFuture<String> unusedToo = judged.changing(place(1L), "/b", () -> second);
        CompletableFuture<String> judgement = judged.judging(5, () -> CompletableFuture.completedFuture("judged"));
        first.complete("changed");
        assertFalse(judgement.isDone());
        second.completeExceptionally(new TatamiException(ErrorCode.BUSY, "a change may fail"));
        assertEquals("judged", judgement.join());
    }

    @Test
    void nothingChangesInAJudgedSubtreeUntilThatIsOver() {
        CompletableFuture<String> verdict = new CompletableFuture<>();
        CompletableFuture<String> unused = judged.judging(5, () -> verdict);
        for (Place inside : List.of(
                place(1L, 5L),
                place(1L, 5L, 6L),
                Place.newBuilder().setDirectoryId(5).build())) {
            CompletionException refused =
                    assertThrows(CompletionException.class, () -> change(inside).join());
            assertTrue(refused.getCause() instanceof PlanOutdatedException, refused::toString);
            assertFalse(judged.over(inside).isDone());
        }
        assertEquals("changed", change(place(1L, 6L)).join());
        assertTrue(judged.over(place(1L, 6L)).isDone());

        CompletableFuture<Void> over = judged.over(place(1L, 5L));
        verdict.completeExceptionally(new TatamiException(ErrorCode.PERMISSION_DENIED, "refused"));
        assertTrue(over.isDone());
        assertEquals("changed", change(place(1L, 5L)).join());
    }

    @Test
    void changeThatThrowsHoldsNoJudgementUp() {
        CompletableFuture<String> failed = judged.changing(place(1L), "/a", () -> {
            throw new IllegalStateException("a bug");
        });
        assertTrue(failed.isCompletedExceptionally());
        assertEquals(
                "judged",
                judged.judging(5, () -> CompletableFuture.completedFuture("judged"))
                        .join());
    }
}
