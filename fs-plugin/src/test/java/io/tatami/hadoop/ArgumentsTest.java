package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Arguments at and beyond their limits are answered as on HDFS, by both of Hadoop's interfaces. */
class ArgumentsTest {
    private static final int MIB = 1 << 20;

    private final Path base = new Path("/arguments");
    private final Path file = new Path(base, "file");
    private final Path tooLong = new Path(base, "n".repeat(256));
    private TatamiFileSystem fs = new TatamiFileSystem();

    @BeforeEach
    void connect() throws IOException {
        TatamiCluster cluster = TatamiCluster.shared();
        fs = cluster.newFileSystem(cluster.configuration());
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(new byte[2 * MIB + 1]);
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        fs.delete(base, true);
        fs.close();
    }

    @Test
    void blockLocationsReachToTheEndHoweverLongTheRange() throws IOException {
        FileContext context = TatamiCluster.shared().newFileContext();
        for (long length : new long[] {2 * MIB, Long.MAX_VALUE - 5, Long.MAX_VALUE - 4, Long.MAX_VALUE}) {
            assertOffsets(List.of(0L, (long) MIB, 2L * MIB), fs.getFileBlockLocations(file, 5, length));
            assertOffsets(List.of(0L, (long) MIB, 2L * MIB), context.getFileBlockLocations(file, 5, length));
        }
        assertOffsets(List.of(2L * MIB), fs.getFileBlockLocations(file, 2 * MIB, Long.MAX_VALUE));
        assertOffsets(List.of(0L), fs.getFileBlockLocations(file, 5, MIB - 5));
        assertOffsets(List.of(), fs.getFileBlockLocations(file, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    private static void assertOffsets(List<Long> offsets, BlockLocation[] blocks) {
        assertEquals(
                offsets, List.of(blocks).stream().map(BlockLocation::getOffset).toList());
    }

    @Test
    void hintsOfReadaheadAndOfTheCacheAreTaken() throws IOException {
        try (FSDataOutputStream out = fs.create(file)) {
            out.setDropBehind(true);
            out.write(7);
            out.setDropBehind(null);
        }
        try (FSDataInputStream in = fs.open(file)) {
            in.setReadahead((long) MIB);
            in.setDropBehind(true);
            assertEquals(7, in.read());
            in.setReadahead(null);
            in.setDropBehind(null);
            assertEquals(-1, in.read());
        }
    }

    @Test
    void sizesOutOfRangeAreToldWithTheirLimit() throws IOException {
        FileContext context = TatamiCluster.shared().newFileContext();
        String blockMax = String.valueOf(2L << 30);
        assertRefused("16", () -> fs.create(file, true, 4_096, (short) 17, MIB));
        assertRefused("1", () -> fs.create(file, true, 4_096, (short) 0, MIB));
        assertRefused("16", () -> fs.setReplication(file, (short) 17));
        assertRefused("16", () -> context.setReplication(file, (short) 17));
        assertRefused(blockMax, () -> fs.create(file, true, 4_096, (short) 1, (2L << 30) + 1));
        assertRefused(blockMax, () -> fs.create(file, true, 4_096, (short) 1, Long.MAX_VALUE));
        assertRefused("1", () -> fs.create(file, true, 4_096, (short) 1, 0));
        EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE);
        assertRefused(blockMax, () -> context.create(file, flags, Options.CreateOpts.blockSize((2L << 30) + 1)));
        assertRefused("16", () -> context.create(file, flags, Options.CreateOpts.repFac((short) 17)));
        assertEquals(2 * MIB + 1, fs.getFileStatus(file).getLen());
    }

    @Test
    void namesThatAreTooLongAreToldWithTheirLimit() throws IOException {
        FileContext context = TatamiCluster.shared().newFileContext();
        assertRefused("255", () -> fs.create(tooLong));
        assertRefused("255", () -> fs.mkdirs(tooLong));
        assertRefused("255", () -> fs.rename(file, tooLong));
        assertRefused("255", () -> context.mkdir(tooLong, FsPermission.getDirDefault(), false));
        assertRefused("255", () -> context.rename(file, tooLong));
    }

    @Test
    void renameOfASourceWhoseNameIsTooLongIsFalse() throws IOException {
        assertFalse(fs.rename(tooLong, new Path(base, "to")));
        assertFalse(fs.rename(new Path(tooLong, "below"), new Path(base, "to")));
    }

    private static void assertRefused(String limit, Executable call) {
        IOException refused = assertThrows(IOException.class, call);
        assertFalse(refused instanceof TatamiException, refused::toString);
        assertTrue(String.valueOf(refused.getMessage()).contains(limit), refused::toString);
    }

    @Test
    void anotherNameOfTheHostIsTheSameFileSystem() throws IOException {
        URI uri = TatamiCluster.shared().uri();
        assertEquals("localhost", uri.getHost());
        Path named = named("127.0.0.1:" + uri.getPort());
        assertEquals(2 * MIB + 1, fs.getFileStatus(named).getLen());
        assertTrue(fs.rename(named, new Path(base, "renamed")));
        assertThrows(IllegalArgumentException.class, () -> fs.getFileStatus(named("127.0.0.1:1")));
        assertThrows(IllegalArgumentException.class, () -> fs.getFileStatus(named("192.0.2.1:" + uri.getPort())));
    }

    @Test
    void aFileSystemIsOpenedByEachNameOfTheHostAndWithAUser() throws IOException {
        int port = TatamiCluster.shared().uri().getPort();
        for (String authority : List.of("127.0.0.1:" + port, "user@localhost:" + port)) {
            Path named = named(authority);
            FileContext context = FileContext.getFileContext(named.toUri(), fs.getConf());
            try (FileSystem own = FileSystem.newInstance(named.toUri(), fs.getConf())) {
                for (Path path : List.of(named, file)) {
                    assertEquals(2 * MIB + 1, own.getFileStatus(path).getLen(), authority);
                    assertEquals(2 * MIB + 1, context.getFileStatus(path).getLen(), authority);
                }
                assertEquals(named, own.getFileStatus(file).getPath());
            }
        }
    }

    private Path named(String authority) {
        return new Path("tatami://" + authority + file.toUri().getPath());
    }
}
