package io.tatami.rpc.netty.client;

import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.util.HashMap;
import java.util.Map;

/**
 * A share in the event loops of this process's clients: a program with many file system objects wakes a few threads for
 * many connections, instead of one for each. The threads begin with the first share that is taken and end with the last
 * one that is given back. Safe for use by many threads.
 */
final class SharedLoops implements LoopShare {
    /** By the number of threads that is asked for; guards itself. */
    private static final Map<Integer, Pool> POOLS = new HashMap<>();

    private final RpcSettings settings;

    SharedLoops(RpcSettings settings) {
        this.settings = settings;
    }

    private record Pool(EventLoops loops, int shares) {
        Pool with(int more) {
            return new Pool(loops, shares + more);
        }
    }

    @Override
    public EventLoops take() {
        synchronized (POOLS) {
            Pool pool = POOLS.get(settings.eventLoops());
            Pool taken = (pool == null ? new Pool(new EventLoops("tatami-client", settings), 0) : pool).with(1);
            POOLS.put(settings.eventLoops(), taken);
            return taken.loops();
        }
    }

    @Override
    public void giveBack() {
        Pool left;
        synchronized (POOLS) {
            left = POOLS.remove(settings.eventLoops());
            if (left == null) {
                return;
            }
            left = left.with(-1);
            if (left.shares() > 0) {
                POOLS.put(settings.eventLoops(), left);
            }
        }
        if (left.shares() == 0) {
            left.loops().close();
        }
    }
}
