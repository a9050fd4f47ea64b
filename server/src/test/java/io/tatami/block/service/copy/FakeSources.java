package io.tatami.block.service.copy;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32C;

/** Servers that have a copy of one block, each with what is wrong with it. Safe for use by many threads. */
final class FakeSources implements CopySources {
    private final byte[] content;
    private final ManualClock clock;
    private final Map<ServerId, Source> servers = new ConcurrentHashMap<>();

    /** What each source was told is damaged, as "server offset". */
    final List<String> damage = new CopyOnWriteArrayList<>();

    /** Where each stream began, as "server offset". */
    final List<String> begun = new CopyOnWriteArrayList<>();

    /** What may be wrong with a source. */
    static final class Source {
        Generation generation = Generation.FIRST;
        long lengthBytes;
        boolean finalized = true;

        /** From here on it sends nothing. */
        long hangsAt = Long.MAX_VALUE;

        /** From here on it fails. */
        long diesAt = Long.MAX_VALUE;

        /** From here on there is no more. */
        long endsAt = Long.MAX_VALUE;

        /** The byte here is another than the one that was written. */
        long wrongAt = Long.MAX_VALUE;

        /** Called before each read. */
        Runnable beforeRead = () -> {};
    }

    FakeSources(byte[] content, ManualClock clock) {
        this.content = content;
        this.clock = clock;
    }

    /** A sound copy, for the test to spoil. */
    Source on(int server) {
        return servers.computeIfAbsent(new ServerId(server), id -> {
            Source source = new Source();
            source.lengthBytes = content.length;
            return source;
        });
    }

    @Override
    public SourceCopy of(BlockTarget target, BlockId block, Generation generation, boolean background) {
        Source source = on(target.server().value());
        return new SourceCopy() {
            private long position;

            @Override
            public Description describe() {
                return new Description(source.generation, source.lengthBytes, source.finalized);
            }

            @Override
            public int[] checksums(long lengthBytes) {
                int[] checksums = new int[ChunkChecksum.pieces(0, (int) lengthBytes)];
                for (int chunk = 0; chunk < checksums.length; chunk++) {
                    int start = chunk * ChunkChecksum.CHUNK_BYTES;
                    CRC32C crc = new CRC32C();
                    crc.update(content, start, Math.min(ChunkChecksum.CHUNK_BYTES, (int) lengthBytes - start));
                    checksums[chunk] = (int) crc.getValue();
                }
                return checksums;
            }

            @Override
            public void begin(long offsetBytes, long lengthBytes) {
                position = offsetBytes;
                begun.add(target.server().value() + " " + offsetBytes);
            }

            @Override
            public boolean await(long nanos) {
                if (position < source.hangsAt) {
                    return true;
                }
                clock.advance(Duration.ofSeconds(1));
                return false;
            }

            @Override
            public int read(ByteBuffer into) throws TatamiException {
                source.beforeRead.run();
                if (position >= source.diesAt) {
                    throw new TatamiException(ErrorCode.UNAVAILABLE, "it died");
                }
                long end = Math.min(Math.min(source.endsAt, source.diesAt), Math.min(source.hangsAt, content.length));
                if (position >= end) {
                    return -1;
                }
                int count = (int) Math.min(Math.min(into.remaining(), end - position), 100_000);
                for (int i = 0; i < count; i++) {
                    into.put((byte) (content[(int) position] ^ (position == source.wrongAt ? 1 : 0)));
                    position++;
                }
                return count;
            }

            @Override
            public void reportDamage(long offsetBytes) {
                damage.add(target.server().value() + " " + offsetBytes);
            }

            @Override
            public void close() {}
        };
    }
}
