package io.tatami.block.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many buffers of a pool each owner holds, and the most that one may. An owner is remembered while it holds or
 * waits for some. Safe for use by many threads.
 */
final class OwnerLimit {
    private final Map<String, Held> owners = new HashMap<>();

    private static final class Held {
        private int buffers;
        private List<Runnable> waiting = new ArrayList<>();
    }

    /** Counts one more for {@code owner}, unless that would be more than {@code most}. */
    synchronized boolean tryAdd(String owner, int most) {
        Held held = owners.computeIfAbsent(owner, name -> new Held());
        if (held.buffers >= most) {
            return false;
        }
        held.buffers++;
        return true;
    }

    /** Counts one more for {@code owner}, whatever it holds. */
    synchronized void add(String owner) {
        owners.computeIfAbsent(owner, name -> new Held()).buffers++;
    }

    /**
     * Counts one fewer for {@code owner}, and calls those that waited for it.
     *
     * @see #whenBelow
     */
    void remove(String owner) {
        List<Runnable> wakes;
        synchronized (this) {
            Held held = owners.get(owner);
            if (held == null || held.buffers == 0) {
                throw new IllegalStateException(owner + " holds no buffer");
            }
            wakes = held.waiting;
            held.waiting = new ArrayList<>();
            if (--held.buffers == 0) {
                owners.remove(owner);
            }
        }
        wakes.forEach(Runnable::run);
    }

    /**
     * Has {@code wake} called once, at the owner's next {@link #remove}, or at once where it holds fewer than
     * {@code most}. It must not wait.
     */
    void whenBelow(String owner, int most, Runnable wake) {
        synchronized (this) {
            Held held = owners.get(owner);
            if (held != null && held.buffers >= most) {
                held.waiting.add(wake);
                return;
            }
        }
        wake.run();
    }
}
