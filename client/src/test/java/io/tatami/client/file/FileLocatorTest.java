package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.protocol.wire.BlockLocation;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FileLocatorTest {
    private static List<BlockLocation> open(long... lengths) {
        return LongStream.of(lengths)
                .mapToObj(length -> BlockLocation.newBuilder()
                        .setOpen(true)
                        .setLength(length)
                        .build())
                .toList();
    }

    /** A server may say of such a block that it is not final, as a recovery opens it again for a moment. */
    @Test
    void blocksBeforeTheLastOneWithKnownBytesHaveTheirLengthFromTheHome() {
        assertEquals(1, FileLocator.lastKnown(open(131_072, 55_929)));
        assertEquals(1, FileLocator.lastKnown(open(131_072, 55_929, 0, 0)));
        assertEquals(2, FileLocator.lastKnown(open(131_072, 0, 55_929, 0)));
    }

    @Test
    void withoutKnownBytesTheServersAreAskedFromTheFirstBlockOn() {
        assertEquals(-1, FileLocator.lastKnown(open()));
        assertEquals(-1, FileLocator.lastKnown(open(0, 0)));
        assertEquals(0, FileLocator.lastKnown(open(7, 0)));
    }
}
