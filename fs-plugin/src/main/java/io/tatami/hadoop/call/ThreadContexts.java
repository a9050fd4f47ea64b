package io.tatami.hadoop.call;

import io.tatami.client.model.CallerContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hadoop's caller context of each thread, as the client takes it; one that stays is converted once a thread. */
final class ThreadContexts {
    static final Supplier<CallerContext> OF_HADOOP = ThreadContexts::current;

    private static final ThreadLocal<@Nullable Converted> LAST = new ThreadLocal<>();

    /** @param from as set by {@link org.apache.hadoop.ipc.CallerContext#setCurrent}; does not change */
    private record Converted(org.apache.hadoop.ipc.CallerContext from, CallerContext to) {}

    private ThreadContexts() {}

    private static CallerContext current() {
        org.apache.hadoop.ipc.@Nullable CallerContext now = org.apache.hadoop.ipc.CallerContext.getCurrent();
        if (now == null || !now.isContextValid()) {
            return CallerContext.NONE;
        }
        Converted last = LAST.get();
        if (last == null || last.from != now) {
            last = new Converted(now, CallerContext.of(now.getContext()));
            LAST.set(last);
        }
        return last.to;
    }
}
