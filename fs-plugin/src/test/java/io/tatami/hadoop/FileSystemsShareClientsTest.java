package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.TatamiClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** File systems of one cluster, user and settings use one client, and what is idle costs nothing. */
class FileSystemsShareClientsTest {
    private static final Path DIRECTORY = new Path("/FileSystemsShareClientsTest");
    private static final int MANY = 300;

    private final Configuration configuration = TatamiCluster.shared().configuration();
    private FileSystem root;

    @BeforeEach
    void open() throws IOException {
        root = FileSystem.newInstance(configuration);
        root.delete(DIRECTORY, true);
        FileSystem.mkdirs(root, DIRECTORY, new FsPermission((short) 0777));
    }

    @AfterEach
    void close() throws IOException {
        root.close();
    }

    /** So that idle connections go within a second, as no clock can be given through Hadoop's interfaces. */
    private Configuration impatient() {
        Configuration changed = new Configuration(configuration);
        changed.set("tatami.rpc.idle.max", "500ms");
        changed.set("tatami.rpc.ping.interval", "100ms");
        changed.set("tatami.client.lease.renewal", "100ms");
        return changed;
    }

    private FileContext context(Configuration of) throws IOException {
        return FileContext.getFileContext(TatamiCluster.shared().uri(), of);
    }

    /** Sockets of this process, of which the cluster is a part. */
    private static int sockets() throws IOException {
        int count = 0;
        for (File file : new File("/proc/self/fd").listFiles()) {
            try {
                if (Files.readSymbolicLink(file.toPath()).toString().startsWith("socket:")) {
                    count++;
                }
            } catch (IOException e) {
                // Closed meanwhile.
                continue;
            }
        }
        return count;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tatami-client")
                        || thread.getName().startsWith("tatami-leases"))
                .count();
    }

    private static void awaitSockets(int most) throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (sockets() > most) {
            assertTrue(System.nanoTime() < end, sockets() + " sockets, once " + most);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void manyFileContextsOfAUserHaveAsManyThreadsAndConnectionsAsOne() throws Exception {
        List<FileContext> contexts = new ArrayList<>();
        contexts.add(context(configuration));
        contexts.get(0).getFileStatus(DIRECTORY);
        int sockets = sockets();
        long threads = threads();
        for (int i = 1; i < MANY; i++) {
            contexts.add(context(new Configuration(configuration)));
            contexts.get(i).getFileStatus(DIRECTORY);
        }

        assertTrue(sockets() <= sockets + 4, sockets() + " sockets, with one " + sockets);
        assertTrue(threads() <= threads + 2, threads() + " threads, with one " + threads);
    }

    @Test
    void whatManyUsersHadGoesWithCloseAllForThem() throws Exception {
        int sockets = sockets();
        for (int i = 0; i < MANY; i++) {
            UserGroupInformation user = UserGroupInformation.createRemoteUser("user-" + i);
            assertTrue(user.doAs((PrivilegedExceptionAction<Boolean>)
                    () -> FileSystem.get(configuration).mkdirs(new Path(DIRECTORY, user.getShortUserName()))));
            FileSystem.closeAllForUGI(user);
        }

        assertEquals(MANY, root.listStatus(DIRECTORY).length);
        awaitSockets(sockets + 4);
    }

    @Test
    void whatFileContextsOfManyUsersHadGoesWhileTheyAreIdleAndComesAgain() throws Exception {
        int sockets = sockets();
        long threads = threads();
        Configuration changed = impatient();
        List<FileContext> contexts = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            UserGroupInformation user = UserGroupInformation.createRemoteUser("user-" + i);
            FileContext made = user.doAs((PrivilegedExceptionAction<FileContext>) () -> context(changed));
            made.mkdir(new Path(DIRECTORY, user.getShortUserName()), FsPermission.getDirDefault(), false);
            contexts.add(made);
        }

        awaitSockets(sockets + 4);
        assertTrue(threads() <= threads + 4, threads() + " threads, once " + threads);
        for (FileContext made : contexts.subList(0, 3)) {
            assertEquals(MANY, made.util().listStatus(DIRECTORY).length);
        }
    }

    @Test
    void anOpenWriterOfAFileContextIsNotCutByIdleness() throws Exception {
        byte[] bytes = new byte[1_500_000];
        new Random(3).nextBytes(bytes);
        Configuration changed = impatient();
        int sockets = sockets();
        Path file = new Path(DIRECTORY, "file");
        FSDataOutputStream out = context(changed).create(file, EnumSet.of(CreateFlag.CREATE));
        out.write(bytes, 0, 700_000);
        out.hflush();
        UserGroupInformation other = UserGroupInformation.createRemoteUser("idle");
        FileContext idle = other.doAs((PrivilegedExceptionAction<FileContext>) () -> context(changed));
        for (int i = 0; i < 3; i++) {
            idle.getFileStatus(DIRECTORY);
            // The writer has one to the block server and one for the renewals, each with an end here.
            awaitSockets(sockets + 8);
            System.gc();
        }

        out.write(bytes, 700_000, 800_000);
        out.close();

        try (FSDataInputStream in = root.open(file)) {
            assertArrayEquals(bytes, in.readAllBytes());
        }
    }

    @Test
    void theCloseOfOneFileSystemEndsNothingOfAnotherThatSharesItsClient() throws Exception {
        byte[] bytes = new byte[2_500_000];
        new Random(4).nextBytes(bytes);
        TatamiFileSystem closing = (TatamiFileSystem) FileSystem.newInstance(configuration);
        TatamiFileSystem staying = (TatamiFileSystem) FileSystem.newInstance(configuration);
        assertSame(closing.calls().client(), staying.calls().client());
        Path file = new Path(DIRECTORY, "staying");
        FSDataOutputStream out = staying.create(file);
        out.write(bytes, 0, 1_200_000);
        FSDataOutputStream completed = closing.create(new Path(DIRECTORY, "closing"));
        completed.write(bytes, 0, 20_000);
        FSDataInputStream in = closing.open(new Path(DIRECTORY, "closing"));
        TatamiClient client = closing.calls().client();

        closing.close();

        IOException refused = assertThrows(IOException.class, () -> in.read(0, new byte[1], 0, 1));
        assertEquals("Filesystem closed", refused.getMessage());
        assertThrows(IOException.class, () -> closing.getFileStatus(DIRECTORY));
        assertSame(client, staying.calls().client());
        out.write(bytes, 1_200_000, 1_300_000);
        out.close();
        staying.close();
        try (FSDataInputStream whole = root.open(file);
                FSDataInputStream other = root.open(new Path(DIRECTORY, "closing"))) {
            assertArrayEquals(bytes, whole.readAllBytes());
            assertArrayEquals(Arrays.copyOf(bytes, 20_000), other.readAllBytes());
        }
    }

    @Test
    void anotherUserOfTheSameNameAndOtherSettingsHaveClientsOfTheirOwn() throws Exception {
        Configuration changed = new Configuration(configuration);
        changed.set("tatami.client.replication", "2");
        TatamiFileSystem mine = (TatamiFileSystem) root;
        String name = UserGroupInformation.getCurrentUser().getShortUserName();
        UserGroupInformation namesake = UserGroupInformation.createRemoteUser(name);
        try (TatamiFileSystem other = (TatamiFileSystem) FileSystem.newInstance(changed);
                TatamiFileSystem theirs = (TatamiFileSystem) namesake.doAs(
                        (PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(configuration));
                TatamiFileSystem again = (TatamiFileSystem) namesake.doAs(
                        (PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(configuration))) {
            assertNotSame(mine.calls().client(), other.calls().client());
            assertNotSame(mine.calls().client(), theirs.calls().client());
            assertSame(theirs.calls().client(), again.calls().client());
        }
    }
}
