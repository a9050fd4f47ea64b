package io.tatami.hadoop.call;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClientSpec;
import io.tatami.client.TatamiClient;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * The clients of this process: one for each cluster, user and settings, however many file systems of Hadoop's use it. A
 * client ends with the last file system that can be closed. One that a FileContext uses, which cannot be closed, ends
 * no sooner than that is collected; what costs something, its connections, goes before that while it is idle, and comes
 * again with the next call. Nothing here keeps a user that nobody else keeps. Safe for use by many threads.
 */
final class SharedClients {
    static final SharedClients OF_PROCESS = new SharedClients(TatamiClient::connect);

    private final Connect connect;

    /** Weak on both sides: an entry holds its key, and the shares hold their entry. Guarded by itself. */
    private final Map<Key, WeakReference<Entry>> entries = new WeakHashMap<>();

    /** How a client is made. */
    @FunctionalInterface
    interface Connect {
        TatamiClient to(ClientSpec spec) throws TatamiException;
    }

    SharedClients(Connect connect) {
        this.connect = connect;
    }

    /** @param user by Hadoop's equality: two users of one name do not share */
    record Key(ClientSpec spec, UserGroupInformation user) {}

    private static final class Entry {
        final Key key;
        final CompletableFuture<TatamiClient> client = new CompletableFuture<>();

        /** Shares that are not closed; guarded by the entries. */
        int shares;

        Entry(Key key) {
            this.key = key;
        }
    }

    /** The use of a client by one file system. */
    final class Share implements AutoCloseable {
        private final Entry entry;
        private boolean closed;

        private Share(Entry entry) {
            this.entry = entry;
        }

        TatamiClient client() {
            return entry.client.join();
        }

        /** Closes the client where no other file system uses it. */
        @Override
        public void close() {
            synchronized (entries) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            giveBack(entry);
        }
    }

    /**
     * Connects, unless an equal client is there.
     *
     * @return to be closed, or to be left to the garbage collector with what uses the client
     * @throws TatamiException as {@link TatamiClient#connect(ClientSpec)}; CANCELLED on an interrupt
     */
    Share take(Key key) throws TatamiException {
        while (true) {
            Entry fresh = new Entry(key);
            Entry entry = entryFor(fresh);
            if (entry == fresh) {
                return connected(fresh);
            }
            try {
                entry.client.get();
                return new Share(entry);
            } catch (InterruptedException e) {
                giveBack(entry);
                Thread.currentThread().interrupt();
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while connecting", e);
            } catch (ExecutionException e) {
                giveBack(entry);
                rethrowUnlessInterrupted(e);
            }
        }
    }

    /** The entry of an equal key, or {@code fresh}, with one more share. */
    private Entry entryFor(Entry fresh) {
        synchronized (entries) {
            WeakReference<Entry> known = entries.get(fresh.key);
            @Nullable Entry entry = known == null ? null : known.get();
            if (entry == null) {
                entries.remove(fresh.key);
                entries.put(fresh.key, new WeakReference<>(fresh));
                entry = fresh;
            }
            entry.shares++;
            return entry;
        }
    }

    private Share connected(Entry entry) throws TatamiException {
        boolean isConnected = false;
        try {
            entry.client.complete(connect.to(entry.key.spec()));
            isConnected = true;
            return new Share(entry);
        } catch (TatamiException e) {
            forget(entry);
            entry.client.completeExceptionally(e);
            throw e;
        } finally {
            if (!isConnected) {
                forget(entry);
                entry.client.completeExceptionally(new IllegalStateException("no client was made"));
            }
        }
    }

    /** The failure of the thread that connected for all; where it was interrupted, others try themselves. */
    private static void rethrowUnlessInterrupted(ExecutionException failure) throws TatamiException {
        if (!(failure.getCause() instanceof TatamiException known)) {
            throw new CompletionException(failure.getCause());
        }
        if (known.code() != ErrorCode.CANCELLED) {
            throw known.again();
        }
    }

    private void giveBack(Entry entry) {
        boolean isLast;
        synchronized (entries) {
            entry.shares--;
            isLast = entry.shares == 0;
            if (isLast) {
                forget(entry);
            }
        }
        if (isLast && entry.client.isDone() && !entry.client.isCompletedExceptionally()) {
            entry.client.join().close();
        }
    }

    private void forget(Entry entry) {
        synchronized (entries) {
            WeakReference<Entry> known = entries.get(entry.key);
            if (known != null && known.get() == entry) {
                entries.remove(entry.key);
            }
        }
    }
}
