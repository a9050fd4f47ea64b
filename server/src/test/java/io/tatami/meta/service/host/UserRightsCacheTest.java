package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.UserIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UserRightsCacheTest {
    private final ManualClock clock = new ManualClock();
    private final Map<String, List<String>> groups = new ConcurrentHashMap<>();
    private final Set<String> hanging = ConcurrentHashMap.newKeySet();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);
    private final BlockingQueue<String> hangs = new LinkedBlockingQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Runnable> limits = new ArrayList<>();
    private final UserRightsCache callers = callers(ForkJoinPool.commonPool());

    private UserRightsCache callers(Executor executor) {
        return new UserRightsCache(
                this::groupsOf,
                executor,
                new SteppedTimer((delayMillis, action) -> {
                    synchronized (limits) {
                        limits.add(action);
                    }
                }),
                clock,
                "root",
                "supergroup");
    }

    @AfterEach
    void close() {
        released.countDown();
        callers.close();
    }

    private List<String> groupsOf(String user) throws TatamiException {
        asked.incrementAndGet();
        if (hanging.contains(user)) {
            hangs.add(user);
            awaitUninterruptibly(released);
        }
        if (failing.contains(user)) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the directory is away");
        }
        return groups.getOrDefault(user, List.of());
    }

    /** As a look-up in native code, which no interrupt ends. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean ended = false;
        while (!ended) {
            try {
                latch.await();
                ended = true;
            } catch (InterruptedException e) {
                ended = false;
            }
        }
    }

    private CompletableFuture<Caller> of(String user) {
        return callers.of(new UserIdentity(user, ""));
    }

    private Caller now(String user) throws Exception {
        return of(user).get(1, TimeUnit.MINUTES);
    }

    private ErrorCode refusal(String user) {
        Throwable thrown = assertThrows(ExecutionException.class, () -> now(user));
        return Causes.of(thrown).code();
    }

    private void limitPasses() {
        List<Runnable> due;
        synchronized (limits) {
            due = List.copyOf(limits);
            limits.clear();
        }
        due.forEach(Runnable::run);
    }

    private void hang(String user) throws InterruptedException {
        hanging.add(user);
        assertFalse(of(user).isDone());
        assertEquals(user, hangs.poll(1, TimeUnit.MINUTES));
    }

    @Test
    void theSuperuserAndMembersOfTheSupergroupHaveAllRights() throws Exception {
        groups.put("alice", List.of("users", "supergroup"));
        groups.put("bob", List.of("users"));
        assertTrue(now("root").superuser());
        assertTrue(now("alice").superuser());
        assertFalse(now("bob").superuser());
        assertEquals(List.of("users"), now("bob").groups());
    }

    @Test
    void aKnownUserIsAnsweredAtOnceWhileAllLookupsHang() throws Exception {
        groups.put("bob", List.of("users"));
        now("bob");
        for (int i = 0; i < UserRightsCache.LOOKUPS; i++) {
            hang("slow-" + i);
        }
        assertTrue(of("bob").isDone());
        clock.advance(Duration.ofSeconds(UserRightsCache.EXPIRE_SECONDS - 1));
        hanging.add("bob");
        assertTrue(of("bob").isDone());
        assertEquals(List.of("users"), now("bob").groups());
    }

    @Test
    void aUserWhoIsNotKnownInTimeIsRefusedAndKnownOnceTheLookupEnds() throws Exception {
        groups.put("bob", List.of("users"));
        hang("bob");
        CompletableFuture<Caller> waiting = of("bob");
        assertFalse(waiting.isDone());
        limitPasses();
        assertEquals(
                ErrorCode.BUSY,
                Causes.of(assertThrows(ExecutionException.class, waiting::get)).code());
        clock.advance(Duration.ofSeconds(2));
        assertEquals(ErrorCode.BUSY, refusal("bob"));
        assertEquals(1, asked.get(), "a user has one look-up under way");
        released.countDown();
        while (!of("bob").handle((caller, failure) -> failure == null).get()) {
            clock.advance(Duration.ofSeconds(1));
            Thread.sleep(1);
        }
        assertEquals(List.of("users"), now("bob").groups());
    }

    @Test
    void aLookupThatNeverBeganIsForgottenAtItsLimit() throws Exception {
        for (int i = 0; i < UserRightsCache.LOOKUPS; i++) {
            hang("slow-" + i);
        }
        CompletableFuture<Caller> waiting = of("bob");
        limitPasses();
        assertEquals(
                ErrorCode.BUSY,
                Causes.of(assertThrows(ExecutionException.class, waiting::get)).code());
        released.countDown();
        clock.advance(Duration.ofSeconds(2));
        assertEquals("bob", now("bob").user());
    }

    @Test
    void lookupsBeyondTheQueueAreRefused() throws Exception {
        for (int i = 0; i < UserRightsCache.LOOKUPS; i++) {
            hang("slow-" + i);
        }
        for (int i = 0; i < UserRightsCache.WAITING_MAX; i++) {
            assertFalse(of("user-" + i).isDone());
        }
        assertEquals(ErrorCode.BUSY, refusal("one-more"));
    }

    @Test
    void changedGroupsCountAfterTheNextLookup() throws Exception {
        groups.put("bob", List.of("supergroup"));
        assertTrue(now("bob").superuser());
        groups.put("bob", List.of("users"));
        clock.advance(Duration.ofSeconds(UserRightsCache.REFRESH_SECONDS));
        while (now("bob").superuser()) {
            Thread.sleep(1);
        }
        assertEquals(2, asked.get());
    }

    @Test
    void aFailureIsRememberedForAMomentAndTakesNothingFromAKnownUser() throws Exception {
        failing.add("bob");
        assertEquals(ErrorCode.UNAVAILABLE, refusal("bob"));
        assertEquals(ErrorCode.UNAVAILABLE, refusal("bob"));
        assertEquals(1, asked.get());
        clock.advance(Duration.ofSeconds(UserRightsCache.FAILURE_SECONDS));
        failing.clear();
        groups.put("bob", List.of("users"));
        now("bob");
        failing.add("bob");
        clock.advance(Duration.ofSeconds(UserRightsCache.REFRESH_SECONDS));
        assertEquals(List.of("users"), now("bob").groups());
        while (asked.get() < 3) {
            Thread.sleep(1);
        }
        clock.advance(Duration.ofSeconds(UserRightsCache.EXPIRE_SECONDS));
        assertEquals(ErrorCode.UNAVAILABLE, refusal("bob"));
    }

    @Test
    void whoIsAnsweredByALookupFindsItEnded() throws Exception {
        try (UserRightsCache atOnce = callers(Runnable::run)) {
            groups.put("bob", List.of("users"));
            failing.add("bob");
            hanging.add("bob");
            CompletableFuture<Caller> asksAgain = atOnce.of(UserIdentity.of("bob"))
                    .handle((caller, failure) -> {
                        failing.clear();
                        clock.advance(Duration.ofSeconds(UserRightsCache.FAILURE_SECONDS));
                        return failure;
                    })
                    .thenCompose(failure -> atOnce.of(UserIdentity.of("bob")));
            assertEquals("bob", hangs.poll(1, TimeUnit.MINUTES));
            released.countDown();

            Caller found = asksAgain.get(1, TimeUnit.MINUTES);

            assertEquals(List.of("users"), found.groups());
        }
    }

    @Test
    void inventedUsersDoNotDriveOutThoseWhoWork() throws Exception {
        now("bob");
        for (int i = 0; i < 2 * UserRightsCache.USERS_MAX; i++) {
            clock.advance(Duration.ofMillis(1));
            of("invented-" + i).get(1, TimeUnit.MINUTES);
            now("bob");
        }
        assertTrue(callers.remembered() <= UserRightsCache.USERS_MAX, callers.remembered() + " users");
        assertTrue(of("bob").isDone());
    }
}
