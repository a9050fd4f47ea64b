package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.op.tree.wire.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NameLocksTest {
    private final NameLocks locks = new NameLocks();
    private final List<String> begun = new ArrayList<>();

    @Test
    void holdersOfANameGoOneAfterAnother() {
        CompletableFuture<Void> first = hold("first", place("a"));
        CompletableFuture<Void> second = hold("second waited", place("a"));
        CompletableFuture<Void> unused = hold("other", place("b"));
        assertEquals(List.of("first", "other"), begun);
        first.complete(null);
        assertEquals(List.of("first", "other", "second waited"), begun);
        second.complete(null);
        assertTrue(locks.whenFree(1, "a").isDone());
    }

    @Test
    void crossingHoldersDoNotWaitForEachOther() {
        CompletableFuture<Void> first = hold("first", place("a"), place("b"));
        CompletableFuture<Void> second = hold("second waited", place("b"), place("a"));
        CompletableFuture<Void> third = hold("third waited", place("a"));
        first.complete(null);
        assertEquals(List.of("first", "second waited"), begun);
        second.complete(null);
        assertEquals(List.of("first", "second waited", "third waited"), begun);
        third.complete(null);
    }

    @Test
    void failedHolderLetsTheNextGoOn() {
        CompletableFuture<Void> first = hold("first", place("a"));
        CompletableFuture<Void> unused = hold("second waited", place("a"));
        assertFalse(locks.whenFree(1, "a").isDone());
        first.completeExceptionally(new IllegalStateException("failed"));
        assertEquals(List.of("first", "second waited"), begun);
    }

    @Test
    void aNameGivenTwiceIsHeldOnce() {
        CompletableFuture<Void> unused = hold("first", place("a"), place("a"));
        assertEquals(List.of("first"), begun);
    }

    @Test
    void nameIsHeldAfterTheAnswerUntilTheRestIsThrough() {
        CompletableFuture<Void> rest = new CompletableFuture<>();
        CompletableFuture<String> answer =
                locks.holding(List.of(place("a")), waited -> CompletableFuture.completedFuture("done"), done -> rest);
        assertEquals("done", answer.getNow("not answered"));
        CompletableFuture<Void> unused = hold("second waited", place("a"));
        assertEquals(List.of(), begun);
        rest.complete(null);
        assertEquals(List.of("second waited"), begun);
    }

    @Test
    void failureIsToldOnceTheNameIsFree() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> unused = locks.holding(List.of(place("a")), waited -> first)
                .whenComplete((done, failure) -> {
                    CompletableFuture<Void> unusedAgain = hold("again waited", place("a"));
                });
        first.completeExceptionally(new IllegalStateException("failed"));
        assertEquals(List.of("again"), begun);
    }

    private CompletableFuture<Void> hold(String who, Place... places) {
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> unused = locks.holding(List.of(places), waited -> {
            begun.add(waited ? who : who.replace(" waited", ""));
            return held;
        });
        return held;
    }

    private static Place place(String name) {
        return Place.newBuilder().setParentId(1).setName(name).build();
    }
}
