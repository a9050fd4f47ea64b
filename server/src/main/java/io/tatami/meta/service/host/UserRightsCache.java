package io.tatami.meta.service.host;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.UserIdentity;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Users and their rights. The superuser is the user who formatted the cluster, and every member of the supergroup.
 *
 * <p>Groups are looked up by threads of their own, {@value #LOOKUPS} at most, so that a directory service that is slow
 * or hangs holds up nothing but requests of users it has not told about yet. What is known of a user answers at once
 * for {@value #EXPIRE_SECONDS} s; after {@value #REFRESH_SECONDS} s a request also starts a look-up in the background.
 * That is often, because Hadoop's mapping service has a cache of its own, with the lifetime that an operator sets. A
 * first look-up that takes longer than {@value #LIMIT_SECONDS} s is refused with BUSY, and so is one beyond
 * {@value #WAITING_MAX} that wait; each failure answers requests of the same user for {@value #FAILURE_SECONDS} s. At
 * most {@value #USERS_MAX} users are remembered, those that were here last.
 *
 * <p>Safe for use by many threads.
 */
final class UserRightsCache implements AutoCloseable {
    static final int LOOKUPS = 4;
    static final int WAITING_MAX = 1_000;
    static final int USERS_MAX = 10_000;
    static final int REFRESH_SECONDS = 10;
    static final int EXPIRE_SECONDS = 600;
    static final int FAILURE_SECONDS = 1;
    static final int LIMIT_SECONDS = 10;

    private final GroupMapping mapping;
    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final Clock clock;
    private final String superuser;
    private final String supergroup;
    private final ThreadPoolExecutor lookups;
    private final ConcurrentMap<String, User> users = new ConcurrentHashMap<>();

    /**
     * @param executor where requests go on that waited for a look-up
     * @param timer ends look-ups that take too long
     */
    UserRightsCache(
            GroupMapping mapping,
            Executor executor,
            ScheduledExecutorService timer,
            Clock clock,
            String superuser,
            String supergroup) {
        this.mapping = mapping;
        this.executor = executor;
        this.timer = timer;
        this.clock = clock;
        this.superuser = superuser;
        this.supergroup = supergroup;
        this.lookups = new ThreadPoolExecutor(
                LOOKUPS,
                LOOKUPS,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(WAITING_MAX),
                Threads.daemons("meta-groups"));
        lookups.allowCoreThreadTimeOut(true);
    }

    /**
     * Complete at once for a user who was here lately.
     *
     * @return fails with BUSY where the user's groups are not known in time, or with the error of the look-up
     */
    CompletableFuture<Caller> of(UserIdentity identity) {
        User user = users.get(identity.user());
        if (user == null) {
            forgetSome();
            user = users.computeIfAbsent(identity.user(), User::new);
        }
        return user.caller();
    }

    /** Makes room where it is short: a tenth of the users, those that have been away for longest. */
    private void forgetSome() {
        if (users.size() < USERS_MAX) {
            return;
        }
        record Seen(User user, long nanos) {}
        long now = clock.monotonicNanos();
        users.values().stream()
                .map(user -> new Seen(user, user.seenNanos))
                .sorted(Comparator.comparingLong(seen -> seen.nanos() - now))
                .limit(USERS_MAX / 10)
                .forEach(seen -> users.remove(seen.user().name, seen.user()));
    }

    int remembered() {
        return users.size();
    }

    @Override
    public void close() {
        lookups.shutdownNow();
    }

    private static boolean isWithin(long nanos, int seconds) {
        return nanos < TimeUnit.SECONDS.toNanos(seconds);
    }

    /** What is known of one user, and the look-up under way. */
    private final class User {
        private final String name;
        private volatile long seenNanos;
        private volatile @Nullable Known known;
        private @Nullable LookUp underWay;
        private @Nullable Failed failed;

        User(String name) {
            this.name = name;
        }

        CompletableFuture<Caller> caller() {
            long now = clock.monotonicNanos();
            seenNanos = now;
            Known last = known;
            if (last != null && isWithin(now - last.sinceNanos(), REFRESH_SECONDS)) {
                return last.answer();
            }
            CompletableFuture<Caller> looked = look(now);
            last = known;
            return last != null && isWithin(now - last.sinceNanos(), EXPIRE_SECONDS) ? last.answer() : looked;
        }

        private synchronized CompletableFuture<Caller> look(long now) {
            if (failed != null && isWithin(now - failed.sinceNanos(), FAILURE_SECONDS)) {
                return CompletableFuture.failedFuture(failed.failure().again());
            }
            LookUp lookUp = underWay;
            if (lookUp == null) {
                lookUp = new LookUp(this);
                underWay = lookUp;
                lookUp.begin();
            }
            return lookUp.answer
                    .thenApplyAsync(caller -> caller, executor)
                    .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(ReaderPool.told(thrown)));
        }

        /** The look-up's thread is done with it. */
        synchronized void ended(LookUp lookUp) {
            if (underWay == lookUp) {
                underWay = null;
            }
        }

        synchronized void found(Caller caller) {
            known = new Known(CompletableFuture.completedFuture(caller), clock.monotonicNanos());
            failed = null;
        }

        synchronized void failed(TatamiException failure) {
            failed = new Failed(failure, clock.monotonicNanos());
        }
    }

    private record Known(CompletableFuture<Caller> answer, long sinceNanos) {}

    private record Failed(TatamiException failure, long sinceNanos) {}

    /** One question for a user's groups; at its limit the requests are answered, and the thread is interrupted. */
    private final class LookUp {
        private final User user;
        private final CompletableFuture<Caller> answer = new CompletableFuture<>();
        private final AtomicBoolean begunOrDropped = new AtomicBoolean();

        LookUp(User user) {
            this.user = user;
        }

        void begin() {
            try {
                Future<?> task = lookups.submit(this::run);
                ScheduledFuture<?> limit = timer.schedule(() -> giveUp(task), LIMIT_SECONDS, TimeUnit.SECONDS);
                CompletableFuture<Caller> unused = answer.whenComplete((caller, failure) -> limit.cancel(false));
            } catch (RejectedExecutionException e) {
                fail(new TatamiException(
                        ErrorCode.BUSY,
                        "the groups of " + user.name + " cannot be looked up: " + WAITING_MAX
                                + " look-ups for other users are queued; try again",
                        e));
                user.ended(this);
            }
        }

        private void run() {
            if (!begunOrDropped.compareAndSet(false, true)) {
                return;
            }
            try {
                List<String> groups = List.copyOf(mapping.groupsOf(user.name));
                Caller caller =
                        new Caller(user.name, groups, user.name.equals(superuser) || groups.contains(supergroup));
                user.found(caller);
                user.ended(this);
                answer.complete(caller);
            } catch (TatamiException | RuntimeException e) {
                user.ended(this);
                fail(Causes.of(e));
            } finally {
                // Where the mapping threw an Error, the requests are answered at the limit.
                user.ended(this);
            }
        }

        /** A look-up that does not end for its interrupt keeps its thread, and is the user's only one until it ends. */
        private void giveUp(Future<?> task) {
            fail(new TatamiException(
                    ErrorCode.BUSY,
                    "the groups of " + user.name + " are still unknown after " + LIMIT_SECONDS
                            + " s: check the group mapping of this host (hadoop.security.group.mapping);"
                            + " try again"));
            if (begunOrDropped.compareAndSet(false, true)) {
                user.ended(this);
            }
            if (task.cancel(true)) {
                lookups.purge();
            }
        }

        /** The user knows of the outcome before any request does, so that none comes to a look-up that is over. */
        private void fail(TatamiException failure) {
            if (!answer.isDone()) {
                user.failed(failure);
                answer.completeExceptionally(failure);
            }
        }
    }
}
