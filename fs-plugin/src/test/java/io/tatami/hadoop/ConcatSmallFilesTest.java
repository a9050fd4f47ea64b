package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Files that are stored in their entries are joined to what no entry can hold. */
class ConcatSmallFilesTest {
    private final Random random = new Random(5);
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
    private TatamiFileSystem fs;
    private Path directory;

    @BeforeEach
    void connect(TestInfo test) throws IOException {
        fs = TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration());
        directory = new Path(
                "/ConcatSmallFilesTest/" + test.getTestMethod().orElseThrow().getName());
        assertTrue(fs.mkdirs(directory));
    }

    @AfterEach
    void close() throws IOException {
        fs.close();
    }

    private Path file(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        Path path = new Path(directory, name);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(bytes);
        }
        expected.write(bytes);
        return path;
    }

    private byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }

    private void assertJoins(int... sizes) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            sources.add(file("f" + i, sizes[i]));
        }
        Path target = sources.remove(0);
        fs.concat(target, sources.toArray(Path[]::new));
        assertArrayEquals(expected.toByteArray(), read(target));
        assertEquals(expected.size(), fs.getFileStatus(target).getLen());
        assertEquals(1, fs.listStatus(directory).length);
    }

    @Test
    void togetherTheyAreLongerThanAnEntryHolds() throws IOException {
        assertJoins(10_000, 7_000, 16 << 10, 1);
    }

    @Test
    void someAreInBlocksAlready() throws IOException {
        assertJoins(100, 2_000_000, 5, 40_000);
    }

    @Test
    void theTargetIsEmpty() throws IOException {
        assertJoins(0, 10_000, 10_000);
    }

    @Test
    void whoMayOnlyReadThemLeavesThemAsTheyAre() throws Exception {
        Path target = file("t", 10_000);
        Path source = file("s", 10_000);
        fs.setPermission(directory, new FsPermission((short) 0777));
        fs.setPermission(target, new FsPermission((short) 0666));
        fs.setPermission(source, new FsPermission((short) 0644));
        UserGroupInformation reader = UserGroupInformation.createUserForTesting("reader", new String[] {"readers"});
        IOException refused = assertThrows(
                IOException.class,
                () -> reader.doAs((java.security.PrivilegedExceptionAction<Void>) () -> {
                    try (TatamiFileSystem other = TatamiCluster.shared()
                            .newFileSystem(TatamiCluster.shared().configuration())) {
                        other.concat(target, new Path[] {source});
                    }
                    return null;
                }));
        assertTrue(String.valueOf(refused.getMessage()).contains("is stored inline"), refused.toString());
        assertEquals(2, fs.listStatus(directory).length);
        assertEquals(10_000, read(source).length);
    }
}
