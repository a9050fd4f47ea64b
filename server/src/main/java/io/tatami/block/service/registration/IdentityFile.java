package io.tatami.block.service.registration;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import io.tatami.protocol.RequestLimits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * The identity of a block server, kept beside its volumes: a file {@code block-server.id} that holds an
 * {@link Envelope} of kind IDENTITY around
 *
 * <pre>
 *  0           4         12          20      24
 * +-----------+---------+-----------+-------+--------------+
 * | server id | starts  | confirmed | count | incarnations |
 * | u32       | u64     | u64       | u32   | u64 each     |
 * +-----------+---------+-----------+-------+--------------+
 * </pre>
 *
 * <p>{@code starts} counts the starts of the server and is above any earlier one before a start has effects, so that
 * numbers which begin with it never repeat. Each start draws an incarnation at random, which is the last of the
 * incarnations here before anybody is told of it; {@code confirmed} is the one of the last process that learned that it
 * was registered, 0 for none. A process whose answer was lost may have been registered too, so the incarnations since
 * the confirmed one are never dropped. Version 1 ends behind {@code starts}.
 *
 * <p>Written to a new file that replaces the old one; used by one thread.
 */
public final class IdentityFile {
    static final String NAME = "block-server.id";

    /** Before incarnations. */
    private static final int VERSION_MIN = 1;

    private static final int VERSION = 2;
    private static final int SERVER_ID_OFFSET = 0;
    private static final int STARTS_OFFSET = SERVER_ID_OFFSET + Integer.BYTES;
    private static final int CONFIRMED_OFFSET = STARTS_OFFSET + Long.BYTES;
    private static final int COUNT_OFFSET = CONFIRMED_OFFSET + Long.BYTES;
    private static final int INCARNATIONS_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** With the one of the present process. */
    static final int INCARNATIONS_MAX = RequestLimits.FORMER_STARTS + 1;

    private final Path path;
    private final UUID cluster;
    private final LongSupplier random;

    /**
     * The content of the file.
     *
     * @param server {@link ServerId#NONE} until the server was registered
     * @param confirmed of the last process that learned that it was registered; 0 for none
     * @param incarnations the oldest first, of this process the last; none before the first start
     */
    public record Identity(ServerId server, long starts, long confirmed, List<Long> incarnations) {
        /** Of a server that has never started. */
        public static Identity notStarted(ServerId server) {
            return new Identity(server, 0, 0, List.of());
        }

        /** Of this process; 0 before the first start. */
        public long incarnation() {
            return incarnations.isEmpty() ? 0 : incarnations.get(incarnations.size() - 1);
        }

        /** Of the processes before this one. */
        public List<Long> former() {
            return incarnations.subList(0, Math.max(0, incarnations.size() - 1));
        }

        /** This process was registered under an id. */
        public Identity confirmedAs(ServerId given) {
            return new Identity(given, starts, incarnation(), incarnations);
        }

        private Identity started(LongSupplier random) {
            List<Long> next = new ArrayList<>(incarnations);
            if (next.size() >= INCARNATIONS_MAX) {
                if (next.indexOf(confirmed) <= 0) {
                    // Whichever of them the namespace knows must be shown, so the last one serves again.
                    return new Identity(server, starts + 1, confirmed, incarnations);
                }
                next.remove(0);
            }
            // 0 stands for none.
            next.add(random.getAsLong() | 1);
            return new Identity(server, starts + 1, confirmed, List.copyOf(next));
        }
    }

    /** @param directory exists; the server's own */
    public IdentityFile(Path directory, UUID cluster) {
        this(directory, cluster, new SecureRandom()::nextLong);
    }

    /** @param random the source of incarnations */
    IdentityFile(Path directory, UUID cluster, LongSupplier random) {
        this.path = directory.resolve(NAME);
        this.cluster = cluster;
        this.random = random;
    }

    /**
     * Counts a start and draws its incarnation, durably.
     *
     * @throws TatamiException WRONG_CLUSTER, CORRUPT, FORMAT_TOO_OLD, FORMAT_TOO_NEW or IO_ERROR
     */
    public Identity start() throws TatamiException {
        Identity now = read().orElse(Identity.notStarted(ServerId.NONE)).started(random);
        write(now);
        return now;
    }

    /** Keeps the identity durably. */
    public void write(Identity identity) throws TatamiException {
        int count = identity.incarnations().size();
        ByteBuffer payload =
                ByteBuffer.allocate(INCARNATIONS_OFFSET + count * Long.BYTES).order(ByteOrder.BIG_ENDIAN);
        payload.putInt(SERVER_ID_OFFSET, identity.server().value());
        payload.putLong(STARTS_OFFSET, identity.starts());
        payload.putLong(CONFIRMED_OFFSET, identity.confirmed());
        payload.putInt(COUNT_OFFSET, count);
        for (int i = 0; i < count; i++) {
            payload.putLong(
                    INCARNATIONS_OFFSET + i * Long.BYTES,
                    identity.incarnations().get(i));
        }
        DurableFile.replace(path, Envelope.wrap(Envelope.Kind.IDENTITY, VERSION, cluster, payload.array()));
    }

    private Optional<Identity> read() throws TatamiException {
        Optional<byte[]> bytes = DurableFile.read(path);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.IDENTITY, VERSION_MIN, VERSION, bytes.get(), path.toString());
        if (!opened.owner().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    path + " belongs to cluster " + opened.owner() + ", not to " + cluster + "; use another directory");
        }
        return Optional.of(identity(opened));
    }

    private Identity identity(Envelope.Opened opened) throws TatamiException {
        ByteBuffer payload = ByteBuffer.wrap(opened.payload()).order(ByteOrder.BIG_ENDIAN);
        boolean isFirst = opened.version() == VERSION_MIN;
        int count = isFirst || payload.capacity() < INCARNATIONS_OFFSET ? 0 : payload.getInt(COUNT_OFFSET);
        int expected = isFirst ? CONFIRMED_OFFSET : INCARNATIONS_OFFSET + count * Long.BYTES;
        if (count < 0 || count > INCARNATIONS_MAX || payload.capacity() != expected) {
            throw new TatamiException(ErrorCode.CORRUPT, path + " holds " + payload.capacity() + " bytes");
        }
        List<Long> incarnations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            incarnations.add(payload.getLong(INCARNATIONS_OFFSET + i * Long.BYTES));
        }
        return new Identity(
                new ServerId(payload.getInt(SERVER_ID_OFFSET)),
                payload.getLong(STARTS_OFFSET),
                isFirst ? 0 : payload.getLong(CONFIRMED_OFFSET),
                List.copyOf(incarnations));
    }
}
