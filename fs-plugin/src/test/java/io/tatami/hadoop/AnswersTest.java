package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What the cluster answers is told in one exception with one stack, and with its remedy. */
class AnswersTest {
    private final Path base = new Path("/answers");
    private TatamiFileSystem fs = new TatamiFileSystem();
    private TatamiFileSystem bob = new TatamiFileSystem();

    @BeforeEach
    void connect() throws Exception {
        TatamiCluster cluster = TatamiCluster.shared();
        fs = cluster.newFileSystem(cluster.configuration());
        bob = UserGroupInformation.createRemoteUser("bob").doAs((PrivilegedExceptionAction<TatamiFileSystem>)
                () -> cluster.newFileSystem(cluster.configuration()));
        fs.mkdirs(base);
    }

    @AfterEach
    void disconnect() throws IOException {
        fs.delete(base, true);
        fs.delete(new Path("/user/bob"), true);
        bob.close();
        fs.close();
    }

    @Test
    void eachAnswerIsOneExceptionWithoutACause() throws IOException {
        Path file = new Path(base, "file");
        Path nothing = new Path(base, "nothing");
        Map<Executable, Class<? extends IOException>> answers = new LinkedHashMap<>();
        answers.put(() -> fs.open(nothing), FileNotFoundException.class);
        answers.put(() -> fs.getFileStatus(nothing), FileNotFoundException.class);
        answers.put(() -> fs.listStatus(nothing), FileNotFoundException.class);
        answers.put(() -> fs.append(nothing), FileNotFoundException.class);
        answers.put(() -> fs.open(base), FileNotFoundException.class);
        answers.put(() -> fs.create(file, false), FileAlreadyExistsException.class);
        answers.put(() -> fs.create(base, true), FileAlreadyExistsException.class);
        answers.put(() -> fs.mkdirs(new Path(file, "below")), ParentNotDirectoryException.class);
        answers.put(() -> fs.delete(base, false), PathIsNotEmptyDirectoryException.class);
        answers.put(() -> rename(nothing, file), FileNotFoundException.class);
        answers.put(() -> rename(file, base), IOException.class);
        answers.put(() -> bob.create(new Path(base, "bobs")), AccessControlException.class);
        answers.put(() -> bob.setPermission(file, FsPermission.getFileDefault()), AccessControlException.class);
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(1);
            out.hflush();
            IOException held = assertThrows(IOException.class, () -> fs.append(file));
            assertNull(held.getCause(), held::toString);
        }
        for (Map.Entry<Executable, Class<? extends IOException>> answer : answers.entrySet()) {
            IOException told = assertThrows(answer.getValue(), answer.getKey());
            assertNull(told.getCause(), told::toString);
            assertEquals(0, told.getSuppressed().length, told::toString);
        }
    }

    private void rename(Path from, Path to) throws IOException {
        TatamiCluster.shared().newFileContext().rename(from, to, Options.Rename.NONE);
    }

    @Test
    void userWithoutAHomeIsToldHowToGetOne() throws IOException {
        Path inHome = new Path("/user/bob/job/part");
        for (Executable making : new Executable[] {() -> bob.mkdirs(inHome), () -> bob.create(inHome)}) {
            String told = String.valueOf(
                    assertThrows(AccessControlException.class, making).getMessage());
            assertTrue(
                    told.endsWith("; /user/bob does not exist; the superuser can create it: "
                            + "tatami fs -mkdir -p /user/bob && tatami fs -chown bob /user/bob"),
                    told);
        }
        fs.mkdirs(new Path("/user/bob"));
        assertTrue(!String.valueOf(assertThrows(AccessControlException.class, () -> bob.mkdirs(inHome))
                        .getMessage())
                .contains("does not exist"));
        fs.setOwner(new Path("/user/bob"), "bob", null);
        assertTrue(bob.mkdirs(inHome));
    }
}
