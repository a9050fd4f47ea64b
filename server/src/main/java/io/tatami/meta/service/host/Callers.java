package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.UserIdentity;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Users and their rights: groups are asked for off the event loops, and kept for a while. The superuser is who
 * formatted the cluster, and every member of the supergroup.
 */
final class Callers {
    private static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int USERS_MAX = 10_000;

    private final GroupMapping mapping;
    private final Executor executor;
    private final Clock clock;
    private final String superuser;
    private final String supergroup;
    private final ConcurrentMap<String, Known> users = new ConcurrentHashMap<>();

    private record Known(CompletableFuture<Caller> caller, long sinceNanos) {}

    Callers(GroupMapping mapping, Executor executor, Clock clock, String superuser, String supergroup) {
        this.mapping = mapping;
        this.executor = executor;
        this.clock = clock;
        this.superuser = superuser;
        this.supergroup = supergroup;
    }

    /** Complete at once for a user who was here lately. */
    CompletableFuture<Caller> of(UserIdentity identity) {
        long now = clock.monotonicNanos();
        if (users.size() > USERS_MAX) {
            users.clear();
        }
        return users.compute(identity.user(), (user, known) -> isGood(known, now) ? known : new Known(look(user), now))
                .caller();
    }

    private static boolean isGood(@org.jspecify.annotations.Nullable Known known, long now) {
        return known != null
                && now - known.sinceNanos() < KEEP_NANOS
                && !known.caller().isCompletedExceptionally();
    }

    private CompletableFuture<Caller> look(String user) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        List<String> groups = List.copyOf(mapping.groupsOf(user));
                        return new Caller(user, groups, user.equals(superuser) || groups.contains(supergroup));
                    } catch (TatamiException e) {
                        throw new java.util.concurrent.CompletionException(e);
                    }
                },
                executor);
    }
}
