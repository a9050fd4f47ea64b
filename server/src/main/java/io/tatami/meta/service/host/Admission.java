package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.util.function.Supplier;

/**
 * Whether a request is begun at all, by what its {@link Method} declares: who may call it, and whether safe mode or a
 * full disk refuses what it does. Safe for use by many threads.
 */
final class Admission {
    private final Supplier<ClusterMap> map;
    private final SpaceGuard space;

    /** @param map says whether the name space is in safe mode; of epoch 0 where this server has not heard yet */
    Admission(Supplier<ClusterMap> map, SpaceGuard space) {
        this.map = map;
        this.space = space;
    }

    /**
     * Before anything is known of the caller.
     *
     * @param server whether the request shows the credential of a server, whose client was admitted elsewhere
     * @throws TatamiException PERMISSION_DENIED, SAFE_MODE or NO_SPACE; UNAVAILABLE where safe mode is not known yet
     */
    void check(Method<?, ?> method, boolean server) throws TatamiException {
        if (!server && method.audience() == Audience.SERVERS) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED, method + " may be called only by servers of the cluster");
        }
        if (!server && isRefusedInSafeMode(method.effect())) {
            requireNoSafeMode(method);
        }
        space.check(method);
    }

    /** @throws TatamiException PERMISSION_DENIED */
    static void check(Method<?, ?> method, Caller caller) throws TatamiException {
        if (method.audience() == Audience.SUPERUSER && !caller.superuser()) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "Access denied for user " + caller.user() + ". Superuser privilege is required for " + method);
        }
    }

    /** Whether what a read would write beside it, as an access time, may be written. */
    boolean mayWriteBesideReads() {
        ClusterMap known = map.get();
        return known.getEpoch() != 0 && !known.getSafeMode() && space.hasRoom();
    }

    private static boolean isRefusedInSafeMode(Effect effect) {
        return switch (effect) {
            case WRITES, FREES -> true;
            case READS, UPKEEP -> false;
        };
    }

    private void requireNoSafeMode(Method<?, ?> method) throws TatamiException {
        ClusterMap known = map.get();
        if (known.getEpoch() == 0) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "this server does not know yet whether the cluster is in safe mode; try again");
        }
        if (known.getSafeMode()) {
            throw new TatamiException(ErrorCode.SAFE_MODE, "Cannot do " + method + ". The name space is in safe mode.");
        }
    }
}
