package io.tatami.client.meta;

import io.tatami.base.TatamiException;
import io.tatami.client.model.CallerContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The caller context of each thread: the program's, except while a stream works for the thread that opened it. Safe for
 * use by many threads.
 */
public final class CallerContexts {
    /** Of a program that names none. */
    public static final CallerContexts NONE = new CallerContexts(() -> CallerContext.NONE);

    /** Of all clients, as a thread works for one caller at a time. */
    private static final ThreadLocal<@Nullable CallerContext> KEPT = new ThreadLocal<>();

    private final Supplier<CallerContext> program;

    /** @param program gives the context of the thread that asks; must not block */
    public CallerContexts(Supplier<CallerContext> program) {
        this.program = program;
    }

    /** Work that calls servers. */
    @FunctionalInterface
    public interface Work<R> {
        R run() throws TatamiException;
    }

    /** The context of this thread now. */
    public CallerContext current() {
        CallerContext context = KEPT.get();
        return context == null ? program.get() : context;
    }

    /** Runs {@code work} on this thread, whose context is {@code context} meanwhile. */
    public <R> R within(CallerContext context, Work<R> work) throws TatamiException {
        CallerContext before = KEPT.get();
        KEPT.set(context);
        try {
            return work.run();
        } finally {
            if (before == null) {
                KEPT.remove();
            } else {
                KEPT.set(before);
            }
        }
    }
}
