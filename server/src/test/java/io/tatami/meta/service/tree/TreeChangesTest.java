package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.tree.TreeChanges.Change;
import io.tatami.meta.service.tree.TreeChanges.Moment;
import io.tatami.meta.state.TreeVersion;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TreeChangesTest {
    private final TreeChanges changes = new TreeChanges(3);

    @Test
    void versionsRiseAndAreAboveThoseOfEarlierTerms() {
        TreeVersion first = changes.nextVersion();
        assertTrue(first.value() > new TreeChanges(2).nextVersion().value() + 1_000_000);
        assertEquals(first.next(), changes.begin(List.of(7L)).version());
    }

    @Test
    void pathsThroughAPendingChangeWaitForItsEnd() {
        Change change = changes.begin(List.of(7L, 8L));
        Moment moment = changes.moment();
        CompletableFuture<Void> wait = Objects.requireNonNull(changes.disturbance(moment, List.of(1L, 8L)));
        assertFalse(wait.isDone());
        assertNull(changes.disturbance(moment, List.of(1L, 9L)));
        changes.finish(change);
        assertTrue(wait.isDone());
        assertNull(changes.disturbance(changes.moment(), List.of(1L, 8L)));
    }

    @Test
    void pathsReadWhileAChangeEndedAreReadAgain() {
        Change change = changes.begin(List.of(7L));
        Moment moment = changes.moment();
        changes.finish(change);
        CompletableFuture<Void> again = Objects.requireNonNull(changes.disturbance(moment, List.of(1L, 7L)));
        assertTrue(again.isDone());
        assertNull(changes.disturbance(moment, List.of(1L, 8L)));
    }

    @Test
    void twoChangesOfADirectoryAreBothWaitedFor() {
        Change first = changes.begin(List.of(7L));
        Change second = changes.begin(List.of(7L));
        changes.finish(first);
        assertNotNull(changes.disturbance(changes.moment(), List.of(7L)));
        changes.finish(second);
        assertNull(changes.disturbance(changes.moment(), List.of(7L)));
    }

    @Test
    void aChangeOfWhichNothingIsKnownStaysPendingAndFailsWhoWaits() {
        Change change = changes.begin(List.of(7L));
        CompletableFuture<Void> wait = Objects.requireNonNull(changes.disturbance(changes.moment(), List.of(7L)));
        changes.abandon(change, new GroupStoppedException(GroupId.NAMESPACE, "stopped"));
        assertTrue(wait.isCompletedExceptionally());
        assertTrue(Objects.requireNonNull(changes.disturbance(changes.moment(), List.of(7L)))
                .isCompletedExceptionally());
    }

    @Test
    void readersOlderThanWhatIsRememberedReadAgain() {
        Moment old = changes.moment();
        for (long directory = 10; directory < 20_000; directory++) {
            changes.finish(changes.begin(List.of(directory)));
        }
        assertNotNull(changes.disturbance(old, List.of(1L)));
        assertNull(changes.disturbance(changes.moment(), List.of(1L)));
    }
}
