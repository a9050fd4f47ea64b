package io.tatami.block.service.registration;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * Who a block server is, kept beside its volumes: a file {@code block-server.id} that holds an {@link Envelope} of kind
 * IDENTITY around
 *
 * <pre>
 *  0           4         12
 * +-----------+---------+
 * | server id | starts  |
 * | u32       | u64     |
 * +-----------+---------+
 * </pre>
 *
 * <p>{@code starts} counts the starts of the server and is above any earlier one before a start has effects, so that
 * numbers which begin with it never repeat. Written to a new file that replaces the old one; used by one thread.
 */
public final class IdentityFile {
    static final String NAME = "block-server.id";

    private static final int VERSION = 1;
    private static final int SERVER_ID_OFFSET = 0;
    private static final int STARTS_OFFSET = SERVER_ID_OFFSET + Integer.BYTES;
    private static final int PAYLOAD_BYTES = STARTS_OFFSET + Long.BYTES;

    private final Path path;
    private final UUID cluster;

    /**
     * What the file says.
     *
     * @param server {@link ServerId#NONE} until the server was registered
     */
    public record Identity(ServerId server, long starts) {}

    /** @param directory exists; the server's own */
    public IdentityFile(Path directory, UUID cluster) {
        this.path = directory.resolve(NAME);
        this.cluster = cluster;
    }

    /**
     * Counts a start, durably.
     *
     * @return the identity with the new count
     * @throws TatamiException WRONG_CLUSTER, CORRUPT, FORMAT_TOO_OLD, FORMAT_TOO_NEW or IO_ERROR
     */
    public Identity start() throws TatamiException {
        Identity before = read().orElse(new Identity(ServerId.NONE, 0));
        Identity now = new Identity(before.server(), before.starts() + 1);
        write(now);
        return now;
    }

    /** Keeps the identity durably. */
    public void write(Identity identity) throws TatamiException {
        ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES).order(ByteOrder.BIG_ENDIAN);
        payload.putInt(SERVER_ID_OFFSET, identity.server().value());
        payload.putLong(STARTS_OFFSET, identity.starts());
        DurableFile.replace(path, Envelope.wrap(Envelope.Kind.IDENTITY, VERSION, cluster, payload.array()));
    }

    private Optional<Identity> read() throws TatamiException {
        Optional<byte[]> bytes = DurableFile.read(path);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.IDENTITY, VERSION, VERSION, bytes.get(), path.toString());
        if (!opened.owner().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    path + " belongs to cluster " + opened.owner() + ", not to " + cluster + "; use another directory");
        }
        if (opened.payload().length != PAYLOAD_BYTES) {
            throw new TatamiException(ErrorCode.CORRUPT, path + " holds " + opened.payload().length + " bytes");
        }
        ByteBuffer payload = ByteBuffer.wrap(opened.payload()).order(ByteOrder.BIG_ENDIAN);
        return Optional.of(
                new Identity(new ServerId(payload.getInt(SERVER_ID_OFFSET)), payload.getLong(STARTS_OFFSET)));
    }
}
