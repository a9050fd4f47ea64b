package io.tatami.rpc.netty;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A share in the event loops of this process's clients: a program with many file system objects wakes a few threads for
 * many connections, instead of one for each. The threads begin with the first share and end with the last. Safe for use
 * by many threads.
 */
public final class SharedLoops implements AutoCloseable {
    /** By the number of threads that is asked for; guards itself. */
    private static final Map<Integer, Pool> POOLS = new HashMap<>();

    private final int threads;
    private final EventLoops loops;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SharedLoops(int threads, EventLoops loops) {
        this.threads = threads;
        this.loops = loops;
    }

    private record Pool(EventLoops loops, int shares) {
        Pool with(int more) {
            return new Pool(loops, shares + more);
        }
    }

    public static SharedLoops take(RpcSettings settings) {
        int threads = settings.eventLoops();
        synchronized (POOLS) {
            Pool pool = POOLS.get(threads);
            if (pool == null) {
                pool = new Pool(new EventLoops("tatami-client", settings), 0);
            }
            POOLS.put(threads, pool.with(1));
            return new SharedLoops(threads, pool.loops());
        }
    }

    /** Stay these shares' together: not to be closed by who took one. */
    public EventLoops loops() {
        return loops;
    }

    /** Gives the share back; its clients are closed before. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        boolean last;
        synchronized (POOLS) {
            Pool pool = POOLS.get(threads);
            last = pool != null && pool.shares() == 1;
            if (last) {
                POOLS.remove(threads);
            } else if (pool != null) {
                POOLS.put(threads, pool.with(-1));
            }
        }
        if (last) {
            loops.close();
        }
    }
}
