package io.tatami.meta.service.traffic;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.CountedDirectory;
import io.tatami.protocol.wire.CountedKey;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.rpc.CallContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests from when this is made: in total, by user, by the address of the client, and by directory. Of each
 * kind the most frequent keys are kept. Counts are in memory only. Safe for use by many threads.
 */
public final class CountedTraffic implements ClientTraffic {
    /** Of each kind in each stripe; what came for more than one request in so many is among them. */
    public static final int KEPT = 256;

    /** A power of two. */
    private static final int STRIPES = 4;

    /** A longer name is counted by its beginning, as what is kept has to be bounded. */
    private static final int USER_CHARACTERS_MAX = 128;

    private static final long NO_DIRECTORY = 0;

    /** Stands for this host, whose clients may come without an address. */
    private static final InetAddress THIS_HOST = InetAddress.getLoopbackAddress();

    private final HandleSigner signer;
    private final Clock clock;
    private final long beganNanos;
    private final long source = new SecureRandom().nextLong() | 1;

    /** Threads that answer at once count in different ones, so that they seldom wait for each other. */
    private final Stripe[] stripes = new Stripe[STRIPES];

    /** The requests of some threads; guarded by itself, for some hash look-ups. */
    private static final class Stripe {
        private final HeavyHitters<String> users = new HeavyHitters<>(KEPT, user -> user);
        private final HeavyHitters<InetAddress> hosts = new HeavyHitters<>(KEPT, host -> host);
        private final HeavyHitters<Key> directories = new HeavyHitters<>(KEPT, Key::copy);
        private final Key asked = new Key();
        private long requests;

        synchronized void count(String user, @Nullable InetAddress host, long directory) {
            requests++;
            users.count(user);
            if (host != null) {
                hosts.count(host);
            }
            if (directory != NO_DIRECTORY) {
                asked.number = directory;
                directories.count(asked);
            }
        }

        synchronized Part part() {
            return new Part(requests, users.snapshot(), hosts.snapshot(), directories.snapshot());
        }
    }

    /** What a stripe has at a moment. */
    private record Part(
            long requests,
            HeavyHitters.Snapshot<String> users,
            HeavyHitters.Snapshot<InetAddress> hosts,
            HeavyHitters.Snapshot<Key> directories) {}

    /** A number as a key. One is looked for again and again, so that no request makes another. */
    private static final class Key {
        private long number;

        Key copy() {
            Key copy = new Key();
            copy.number = number;
            return copy;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    /** @param signer opens the handles that requests show */
    public CountedTraffic(HandleSigner signer, Clock clock) {
        this.signer = signer;
        this.clock = clock;
        this.beganNanos = clock.monotonicNanos();
        Arrays.setAll(stripes, number -> new Stripe());
    }

    /** Methods for the superuser alone are how servers and administrators run the cluster, and are not counted. */
    @Override
    public <Q extends Message> Counter<Q> counter(Method<Q, ?> method) {
        if (method.audience() != Audience.USERS) {
            return (context, request) -> {};
        }
        ShownHandle shown = ShownHandle.in(method);
        return (context, request) -> count(context, directory(shown.of(request)));
    }

    private void count(CallContext context, long directory) {
        int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
        stripes[stripe].count(shortened(context.user().user()), host(context.peer()), directory);
    }

    private static String shortened(String user) {
        return user.length() <= USER_CHARACTERS_MAX ? user : user.substring(0, USER_CHARACTERS_MAX);
    }

    private static @Nullable InetAddress host(CallContext.Peer client) {
        if (client.sameHost()) {
            return THIS_HOST;
        }
        return client.address() instanceof InetSocketAddress internet ? internet.getAddress() : null;
    }

    /** A handle that is not ours counts for nothing: who shows it could name any directory. */
    private long directory(@Nullable SignedHandle shown) {
        if (shown == null || shown.getSignature().isEmpty()) {
            return NO_DIRECTORY;
        }
        try {
            return signer.open(shown).getDirectoryId();
        } catch (TatamiException e) {
            return NO_DIRECTORY;
        }
    }

    @Override
    public GroupTrafficReply reply() {
        GroupTrafficReply.Builder reply = GroupTrafficReply.newBuilder().setSource(source);
        reply.setAgeMillis(TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - beganNanos));
        List<Part> parts = Arrays.stream(stripes).map(Stripe::part).toList();
        reply.setRequests(parts.stream().mapToLong(Part::requests).sum());
        List<HeavyHitters.Counted<String>> byUser =
                HeavyHitters.merged(parts.stream().map(Part::users).toList());
        List<HeavyHitters.Counted<InetAddress>> byHost =
                HeavyHitters.merged(parts.stream().map(Part::hosts).toList());
        List<HeavyHitters.Counted<Key>> byDirectory =
                HeavyHitters.merged(parts.stream().map(Part::directories).toList());
        byUser.forEach(user -> reply.addUser(counted(user.key(), user)));
        byHost.forEach(host -> reply.addClientHost(counted(text(host.key()), host)));
        byDirectory.forEach(directory -> reply.addDirectory(CountedDirectory.newBuilder()
                .setDirectoryId(directory.key().number)
                .setCount(directory.count())
                .setError(directory.error())));
        return reply.build();
    }

    private static String text(InetAddress host) {
        return host.equals(THIS_HOST) ? "" : host.getHostAddress();
    }

    private static CountedKey counted(String key, HeavyHitters.Counted<?> counted) {
        return CountedKey.newBuilder()
                .setKey(key)
                .setCount(counted.count())
                .setError(counted.error())
                .build();
    }
}
