package io.tatami.meta.log.local;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.Envelope;
import io.tatami.meta.log.local.LocalEntryFormat.Header;
import io.tatami.meta.log.local.LocalEntryFormat.Stored;
import io.tatami.meta.state.wire.LocalLogFileRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file of entries as it is found. Its head is an {@link Envelope} whose payload is a {@code LocalLogFileRecord}.
 *
 * <p>An entry is flushed before the next one is written. So only the last one can be torn: some of its sectors are
 * still the zeros that were there before it. An entry that is not as it was written and lacks no sector, or behind
 * which another one stands, is damaged, and may have been acknowledged.
 *
 * @param first index of the first entry, which the name tells
 */
record StoredFile(Path path, long first) {
    /** The names of all. */
    static final String GLOB = "entries-*";

    private static final int VERSION = 1;
    private static final String REMEDY = "restore the directory above it from a copy";
    private static final Pattern NAME = Pattern.compile("entries-(\\d{19})");

    /** What a head says. */
    private record Head(UUID cluster, GroupId group, long first) {}

    /** Told of entries, in their order. */
    interface Reading {
        void entry(Stored stored) throws TatamiException;
    }

    static StoredFile of(Path directory, long first) {
        return new StoredFile(directory.resolve(String.format(Locale.ROOT, "entries-%019d", first)), first);
    }

    /** Those in a directory, by their first entries. */
    static List<StoredFile> in(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.flatMap(path -> {
                        Matcher name = NAME.matcher(path.getFileName().toString());
                        return name.matches()
                                ? Stream.of(new StoredFile(path, Long.parseLong(name.group(1))))
                                : Stream.empty();
                    })
                    .sorted(Comparator.comparingLong(StoredFile::first))
                    .toList();
        }
    }

    /** The head of a file that begins with this entry. */
    byte[] head(UUID cluster, GroupId group) {
        LocalLogFileRecord record = LocalLogFileRecord.newBuilder()
                .setGroup(group.value())
                .setFirstIndex(first)
                .build();
        return Envelope.wrap(Envelope.Kind.LOCAL_LOG, VERSION, cluster, record.toByteArray());
    }

    /**
     * Reads the entries before {@code next}, or to the end of the last file.
     *
     * @param next first of the file behind this one; {@link Long#MAX_VALUE} where there is none
     * @return index of the entry behind the last one that was read
     * @throws TatamiException CORRUPT where one that may have been acknowledged is damaged or missing
     */
    long read(UUID cluster, GroupId group, long next, Reading reading) throws TatamiException, IOException {
        boolean isLast = next == Long.MAX_VALUE;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer head = bytes(channel, 0, LocalEntryFormat.BLOCK_BYTES);
            if (isLast && LocalEntryFormat.isZero(head, 0, head.limit())) {
                // A crash came before the head; then nothing was acknowledged out of it.
                requireNothingBehind(channel, LocalEntryFormat.BLOCK_BYTES, 0, first);
                return first;
            }
            requireHead(head, cluster, group);
            long index = first;
            long at = LocalEntryFormat.BLOCK_BYTES;
            while (index < next) {
                Optional<Stored> stored = entry(channel, at, index, isLast);
                if (stored.isEmpty()) {
                    return index;
                }
                reading.entry(stored.get());
                at = EntryFile.roundUp(at + stored.get().entryBytes(), LocalEntryFormat.BLOCK_BYTES);
                index++;
            }
            return index;
        }
    }

    private void requireHead(ByteBuffer bytes, UUID cluster, GroupId group) throws TatamiException {
        Head head = headIn(bytes);
        if (!head.equals(new Head(cluster, group, first))) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    path + " begins with entry " + head.first() + " of " + head.group() + " of cluster "
                            + head.cluster() + " and does not belong here: put the file of this group back");
        }
    }

    private Head headIn(ByteBuffer bytes) throws TatamiException {
        byte[] array = new byte[bytes.limit()];
        bytes.get(0, array);
        Envelope.Opened head = Envelope.unwrap(Envelope.Kind.LOCAL_LOG, VERSION, VERSION, array, path.toString());
        try {
            LocalLogFileRecord record = LocalLogFileRecord.parseFrom(head.payload());
            return new Head(head.owner(), new GroupId(record.getGroup()), record.getFirstIndex());
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, "the head of " + path + " cannot be parsed; " + REMEDY, e);
        }
    }

    /** The log that the file says it is of, which lies in a directory. */
    LocalLog.Location location(Path directory) throws TatamiException, IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Head head = headIn(bytes(channel, 0, LocalEntryFormat.BLOCK_BYTES));
            return new LocalLog.Location(directory, head.cluster(), head.group());
        }
    }

    /** The entry at a place; nothing where it is the end, and no entry of this log stands behind it. */
    private Optional<Stored> entry(FileChannel channel, long at, long index, boolean isLast)
            throws TatamiException, IOException {
        Optional<Header> header = header(channel, at);
        long behind = at + 1;
        if (header.isPresent()) {
            ByteBuffer bytes = bytes(channel, at, header.get().entryBytes());
            if (bytes.limit() == header.get().entryBytes()) {
                Optional<Stored> stored = LocalEntryFormat.parse(header.get(), bytes);
                if (stored.isPresent()) {
                    requireIndex(stored.get(), index);
                    return stored;
                }
            }
            boolean isTorn = LocalEntryFormat.zeroSectors(bytes, 0, bytes.limit())
                    > header.get().zeroSectors();
            requireEnd(isLast && isTorn, at, index);
            behind = at + header.get().entryBytes();
        } else {
            ByteBuffer sector = bytes(channel, at, LocalEntryFormat.SECTOR_BYTES);
            requireEnd(isLast && LocalEntryFormat.isZero(sector, 0, sector.limit()), at, index);
        }
        requireNothingBehind(channel, behind, at, index);
        return Optional.empty();
    }

    private void requireIndex(Stored stored, long index) throws TatamiException {
        if (stored.entry().index() != index) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    path + " has entry " + stored.entry().index() + " where entry " + index + " belongs; " + REMEDY);
        }
    }

    private void requireEnd(boolean isEnd, long at, long index) throws TatamiException {
        if (!isEnd) {
            throw new TatamiException(
                    ErrorCode.CORRUPT, "entry " + index + " is damaged at byte " + at + " of " + path + "; " + REMEDY);
        }
    }

    private void requireNothingBehind(FileChannel channel, long from, long at, long index)
            throws TatamiException, IOException {
        long sizeBytes = channel.size();
        int unit = LocalEntryFormat.BLOCK_BYTES;
        for (long behind = EntryFile.roundUp(from, unit); behind < sizeBytes; behind += unit) {
            requireEnd(header(channel, behind).isEmpty(), at, index);
        }
    }

    private static Optional<Header> header(FileChannel channel, long at) throws IOException {
        return LocalEntryFormat.header(bytes(channel, at, LocalEntryFormat.CHANGES_OFFSET));
    }

    /** Fewer than asked for where the file ends before. */
    private static ByteBuffer bytes(FileChannel channel, long from, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, Math.min(count, channel.size() - from)));
        while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
            continue;
        }
        return bytes.flip();
    }
}
