package io.tatami.files;

import java.util.Collections;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Named places at which tests stop a process: before and after every step that makes something durable. A point does
 * nothing unless a listener is installed or the JVM was started with {@code -Dtatami.crash.at=NAME} or {@code NAME:n},
 * which halts it (exit code {@value #EXIT_CODE}, no shutdown hooks, as {@code kill -9} would) when it comes to the
 * point for the nth time.
 *
 * <p>Names read {@code part.operation.moment}, for instance {@code volume.sync.after-flush}; those of a moment that
 * every kind of work passes end with the kind, as in {@code meta.operation.committed.create-file}. Every name that was
 * passed is remembered, so that a test learns the points of a workload by running it once and then crashes at each of
 * them. Safe for use by many threads.
 */
public final class CrashPoint {
    /** What a process killed by signal 9 returns to its shell. */
    public static final int EXIT_CODE = 137;

    /** The system property that names the point at which this JVM halts. */
    public static final String PROPERTY = "tatami.crash.at";

    private static final NavigableSet<String> PASSED = new ConcurrentSkipListSet<>();
    private static volatile @Nullable Listener listener = haltingListener(System.getProperty(PROPERTY));

    private CrashPoint() {}

    /** Told of every point that is passed, on the thread that passes it; what it throws leaves through the point. */
    @FunctionalInterface
    public interface Listener {
        void passing(String name);
    }

    /** Says that this thread is at the point {@code name}, a constant of the calling code. */
    public static void hit(String name) {
        Listener current = listener;
        if (current != null) {
            PASSED.add(name);
            current.passing(name);
        }
    }

    /** {@link #hit(String)} at the point {@code moment.kind}: both constants, such as the name of a method. */
    public static void hit(String moment, String kind) {
        if (listener != null) {
            hit(moment + "." + kind);
        }
    }

    /** {@link #hit(String)} at the point {@code moment.name-of-the-class}; lambdas have no name and no point. */
    public static void hit(String moment, Class<?> kind) {
        if (listener != null && !kind.isHidden()) {
            hit(moment, hyphenated(kind.getSimpleName()));
        }
    }

    /** Installs the listener of this process in place of the one before; null for none. For tests only. */
    public static void listen(@Nullable Listener replacement) {
        listener = replacement;
    }

    /**
     * The names of all points that were passed in this process while a listener was installed, in order of the
     * alphabet.
     */
    public static NavigableSet<String> passed() {
        return Collections.unmodifiableNavigableSet(PASSED);
    }

    private static String hyphenated(String className) {
        return className.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    private static @Nullable Listener haltingListener(@Nullable String setting) {
        if (setting == null || setting.isEmpty()) {
            return null;
        }
        int colon = setting.indexOf(':');
        String wanted = colon < 0 ? setting : setting.substring(0, colon);
        AtomicLong remaining = new AtomicLong(colon < 0 ? 1 : Long.parseLong(setting.substring(colon + 1)));
        return name -> {
            if (name.equals(wanted) && remaining.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        };
    }
}
