package io.tatami.block.service.volumes;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What was changed of a block server's volumes while it ran, so that its next start, with the options of the last,
 * opens the same ones. A file in an {@link Envelope}, big-endian, replaced as a whole:
 *
 * <pre>
 *  0       4         8                   24        28
 * +-------+---------+-------------------+---------+------------+----
 * | count | flags   | volume (UUID)     | length  | path       | the next volume
 * +-------+---------+-------------------+---------+------------+----
 * </pre>
 *
 * Flags: 1 added, 2 removed, 4 drained. The volume is 0 where its id is not known; the path is absolute, UTF-8. Safe
 * for use by many threads.
 */
public final class RememberedVolumes {
    public static final String NAME = "block-volumes";

    private static final int VERSION = 1;
    private static final int ADDED = 1;
    private static final int REMOVED = 2;
    private static final int DRAINED = 4;
    private static final int ENTRY_BYTES_MIN = 2 * Integer.BYTES + UuidBytes.LENGTH;
    private static final UUID UNKNOWN = new UUID(0, 0);

    private final Path file;
    private final UUID cluster;

    /**
     * One volume.
     *
     * @param path absolute
     * @param id null where it is not known
     * @param added to be opened, also where no option names it
     * @param removed not to be opened, also where an option names it
     * @param drained takes no new blocks
     */
    public record Remembered(String path, @Nullable UUID id, boolean added, boolean removed, boolean drained) {
        /** Whether a device at a path, with an id as far as it can be read, is this one. */
        public boolean is(String otherPath, @Nullable UUID otherId) {
            return (id == null || otherId == null) ? path.equals(otherPath) : id.equals(otherId);
        }
    }

    /** @param directory the server's own; exists when something is written */
    public RememberedVolumes(Path directory, UUID cluster) {
        this.file = directory.resolve(NAME);
        this.cluster = cluster;
    }

    /** @throws TatamiException WRONG_CLUSTER, CORRUPT, FORMAT_TOO_NEW or IO_ERROR */
    public synchronized List<Remembered> read() throws TatamiException {
        Optional<byte[]> bytes = DurableFile.read(file);
        if (bytes.isEmpty()) {
            return List.of();
        }
        Envelope.Opened opened = Envelope.unwrap(Envelope.Kind.VOLUMES, VERSION, VERSION, bytes.get(), file.toString());
        if (!opened.owner().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    file + " belongs to cluster " + opened.owner() + ", not to " + cluster + "; use another directory");
        }
        ByteBuffer payload = ByteBuffer.wrap(opened.payload()).order(ByteOrder.BIG_ENDIAN);
        List<Remembered> volumes = new ArrayList<>();
        int count = payload.remaining() < Integer.BYTES ? -1 : payload.getInt();
        for (int i = 0; i < count; i++) {
            volumes.add(entry(payload));
        }
        if (count < 0 || payload.hasRemaining()) {
            throw malformed();
        }
        return volumes;
    }

    private Remembered entry(ByteBuffer payload) throws TatamiException {
        if (payload.remaining() < ENTRY_BYTES_MIN) {
            throw malformed();
        }
        int flags = payload.getInt();
        UUID id = UuidBytes.get(payload);
        int length = payload.getInt();
        if (length < 0 || length > payload.remaining()) {
            throw malformed();
        }
        byte[] path = new byte[length];
        payload.get(path);
        return new Remembered(
                new String(path, StandardCharsets.UTF_8),
                id.equals(UNKNOWN) ? null : id,
                (flags & ADDED) != 0,
                (flags & REMOVED) != 0,
                (flags & DRAINED) != 0);
    }

    private TatamiException malformed() {
        return new TatamiException(
                ErrorCode.CORRUPT,
                file + " does not hold a list of volumes; name all volumes with --volume and remove the file");
    }

    /**
     * The volume was added: the next start opens it.
     *
     * @param drained whether it is being drained, as one that is added again may be
     */
    public void added(String path, UUID id, boolean drained) throws TatamiException {
        put(new Remembered(path, id, true, false, drained));
    }

    /** The volume was removed: the next start does not open it. */
    public void removed(String path, @Nullable UUID id) throws TatamiException {
        put(new Remembered(path, id, false, true, false));
    }

    /** The volume is drained, or no longer so. */
    public synchronized void drained(String path, UUID id, boolean drained) throws TatamiException {
        boolean added = read().stream().anyMatch(known -> known.is(path, id) && known.added());
        put(new Remembered(path, id, added, false, drained));
    }

    /** In the place of what is known of the same volume. */
    private synchronized void put(Remembered volume) throws TatamiException {
        List<Remembered> volumes = new ArrayList<>(read());
        volumes.removeIf(known -> known.is(volume.path(), volume.id())
                || (known.removed() && volume.added() && known.path().equals(volume.path())));
        if (volume.added() || volume.removed() || volume.drained()) {
            volumes.add(volume);
        }
        write(volumes);
    }

    private void write(List<Remembered> volumes) throws TatamiException {
        List<byte[]> paths = volumes.stream()
                .map(volume -> volume.path().getBytes(StandardCharsets.UTF_8))
                .toList();
        int bytes = Integer.BYTES
                + paths.stream().mapToInt(path -> ENTRY_BYTES_MIN + path.length).sum();
        ByteBuffer payload = ByteBuffer.allocate(bytes).order(ByteOrder.BIG_ENDIAN);
        payload.putInt(volumes.size());
        for (int i = 0; i < volumes.size(); i++) {
            Remembered volume = volumes.get(i);
            UUID id = volume.id();
            payload.putInt(
                    (volume.added() ? ADDED : 0) | (volume.removed() ? REMOVED : 0) | (volume.drained() ? DRAINED : 0));
            UuidBytes.put(id == null ? UNKNOWN : id, payload);
            payload.putInt(paths.get(i).length).put(paths.get(i));
        }
        DurableFile.replace(file, Envelope.wrap(Envelope.Kind.VOLUMES, VERSION, cluster, payload.array()));
    }
}
