package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What users who are not the superuser may do and are told, each as HDFS has it. Alice is in staff and red. */
class OrdinaryUserTest {
    private static final FsPermission OPEN = new FsPermission((short) 0777);
    private static final FsPermission CLOSED = new FsPermission((short) 0700);

    private final UserGroupInformation user = UserGroupInformation.createRemoteUser("alice");
    private final Path base = new Path("/ordinary");
    private TatamiFileSystem superuser = new TatamiFileSystem();
    private TatamiFileSystem alice = new TatamiFileSystem();

    /** Hers, too. */
    private @Nullable FileContext context;

    @BeforeEach
    void connect() throws Exception {
        FileSystem.enableSymlinks();
        superuser = TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration());
        PrivilegedExceptionAction<TatamiFileSystem> connecting = () ->
                TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration());
        alice = user.doAs(connecting);
        context = user.doAs((PrivilegedExceptionAction<FileContext>)
                () -> TatamiCluster.shared().newFileContext());
        directory(base, OPEN);
    }

    @AfterEach
    void disconnect() throws IOException {
        superuser.delete(base, true);
        superuser.close();
        alice.close();
    }

    private Path directory(Path path, FsPermission mode) throws IOException {
        superuser.mkdirs(path);
        superuser.setPermission(path, mode);
        return path;
    }

    private Path child(String name) {
        return new Path(base, name);
    }

    private Path file(String name) throws IOException {
        superuser.create(child(name)).close();
        return child(name);
    }

    /** The rename that throws, done by her. */
    private void strictly(Path source, Path destination, Rename... options) throws IOException {
        Objects.requireNonNull(context).rename(source, destination, options);
    }

    @Test
    void trustedAttributesOfFilesAreHiddenFromHer() throws IOException {
        Path file = file("file");
        superuser.setXAttr(file, "trusted.secret", new byte[] {1});
        superuser.setXAttr(file, "user.open", new byte[] {2});
        assertEquals(List.of("user.open"), alice.listXAttrs(file));
        assertThrows(AccessControlException.class, () -> alice.getXAttr(file, "trusted.secret"));
    }

    @Test
    void attributesOfWhatSheMayNotReadAreRefused() throws IOException {
        Path file = file("file");
        superuser.setXAttr(file, "user.open", new byte[] {2});
        superuser.setPermission(file, CLOSED);
        assertThrows(AccessControlException.class, () -> alice.getXAttrs(file));
    }

    @Test
    void trustedAttributesAreRefusedBeforeItIsToldWhetherThereIsAFile() {
        assertThrows(AccessControlException.class, () -> alice.setXAttr(child("nothing"), "trusted.x", new byte[0]));
        assertThrows(AccessControlException.class, () -> alice.removeXAttr(child("nothing"), "trusted.x"));
        assertThrows(FileNotFoundException.class, () -> superuser.getXAttr(child("nothing"), "trusted.x"));
    }

    @Test
    void belowFilesSheMayNotLookAndForTheSuperuserThereIsNothing() throws IOException {
        Path below = new Path(file("file"), "child");
        assertThrows(AccessControlException.class, () -> alice.getFileStatus(below));
        assertThrows(FileNotFoundException.class, () -> superuser.getFileStatus(below));
    }

    @Test
    void renameIntoDirectoryNeedsNoWritePermissionAboveIt() throws IOException {
        Path into = directory(new Path(directory(child("above"), new FsPermission((short) 0755)), "into"), OPEN);
        assertTrue(alice.rename(file("file"), into));
        assertTrue(superuser.exists(new Path(into, "file")));
    }

    @Test
    void renameOfNothingToWhereSheMayNotWriteIsRefusedAndNotFalse() throws IOException {
        Path closed = directory(child("closed"), new FsPermission((short) 0755));
        assertThrows(AccessControlException.class, () -> alice.rename(child("nothing"), new Path(closed, "name")));
        assertThrows(
                AccessControlException.class, () -> strictly(child("nothing"), new Path(closed, "name"), Rename.NONE));
        assertFalse(superuser.rename(child("nothing"), new Path(closed, "name")));
    }

    @Test
    void renameFromBelowFileIsRefusedBeforeLinksToTheDestinationAreFollowed() throws IOException {
        Path below = new Path(file("file"), "child");
        superuser.createSymlink(directory(child("directory"), OPEN), child("link"), false);
        Path throughLink = new Path(child("link"), "name");
        assertThrows(AccessControlException.class, () -> superuser.rename(below, throughLink));
    }

    @Test
    void renameToItselfNeedsWritePermission() throws IOException {
        Path file = file("file");
        superuser.setPermission(base, new FsPermission((short) 0755));
        assertThrows(AccessControlException.class, () -> alice.rename(file, file));
    }

    @Test
    void strictRenameOfNothingOntoSomethingTellsThatThereIsNothing() throws IOException {
        Path file = file("file");
        assertThrows(FileNotFoundException.class, () -> strictly(child("nothing"), file, Rename.NONE));
    }

    @Test
    void replacingByRenameNeedsOwnershipWhereDirectoryIsSticky() throws IOException {
        Path sticky = directory(child("sticky"), new FsPermission((short) 01777));
        directory(new Path(sticky, "empty"), OPEN);
        superuser.create(new Path(sticky, "file")).close();
        alice.mkdirs(child("directory"));
        alice.create(child("own")).close();
        assertThrows(
                AccessControlException.class,
                () -> strictly(child("directory"), new Path(sticky, "empty"), Rename.OVERWRITE));
        assertThrows(
                AccessControlException.class, () -> strictly(child("own"), new Path(sticky, "file"), Rename.OVERWRITE));
    }

    @Test
    void joiningTakesAwayOnlyWhatSheOwnsWhereDirectoryIsSticky() throws IOException {
        Path sticky = directory(child("sticky"), new FsPermission((short) 01777));
        Path theirs = new Path(sticky, "theirs");
        Path own = new Path(sticky, "own");
        superuser.create(theirs).close();
        try (FSDataOutputStream out = alice.create(own)) {
            out.write(1);
        }
        try (FSDataOutputStream out = superuser.append(theirs)) {
            out.write(2);
        }
        assertThrows(AccessControlException.class, () -> alice.concat(own, new Path[] {theirs}));
        assertTrue(superuser.exists(theirs));
    }

    @Test
    void oneGroupMayGrantWritingAndAnotherEntering() throws IOException {
        Path directory = directory(child("directory"), CLOSED);
        superuser.create(new Path(directory, "one")).close();
        superuser.create(new Path(directory, "two")).close();
        superuser.modifyAclEntries(directory, AclEntry.parseAclSpec("group:staff:-w-,group:red:--x", true));
        assertTrue(alice.delete(new Path(directory, "one"), false));
        assertTrue(alice.rename(new Path(directory, "two"), new Path(directory, "three")));
    }

    /** More directories than one request looks at. */
    @Test
    void manyDirectoriesAreDeletedAllOrNoneOfThem() throws IOException {
        Path many = child("many");
        for (int i = 0; i < 42; i++) {
            alice.mkdirs(new Path(many, "d" + i + "/d".repeat(100)));
        }
        Path foreign = directory(new Path(many, "d7" + "/d".repeat(100) + "/foreign"), CLOSED);
        superuser.mkdirs(new Path(foreign, "inside"));
        assertThrows(AccessControlException.class, () -> alice.delete(many, true));
        assertEquals(1 + 42 * 101 + 2, superuser.getContentSummary(many).getDirectoryCount());
        superuser.delete(foreign, true);
        assertTrue(alice.delete(many, true));
        assertFalse(superuser.exists(many));
    }

    @Test
    void parentsAreMadeOnceMoreWhereAnotherHasDeletedThem() throws IOException {
        Path file = child("one/two/file");
        alice.create(file).close();
        superuser.delete(child("one"), true);
        alice.create(file).close();
        superuser.delete(child("one"), true);
        alice.createSymlink(new Path("anywhere"), new Path(child("one/two"), "link"), true);
        assertTrue(superuser.exists(file.getParent()));
    }

    @Test
    void creationWithoutParentNeedsWritePermissionOnWhatThereIs() throws IOException {
        Path closed = directory(child("closed"), new FsPermission((short) 0755));
        Path file = new Path(closed, "missing/file");
        assertThrows(
                AccessControlException.class, () -> alice.createNonRecursive(file, true, 4096, (short) 1, 4096, null));
        assertThrows(
                FileNotFoundException.class,
                () -> superuser.createNonRecursive(file, true, 4096, (short) 1, 4096, null));
    }

    @Test
    void setTimesThatSetsNothingNeedsWritePermission() throws IOException {
        Path file = file("file");
        assertThrows(AccessControlException.class, () -> alice.setTimes(file, -1, -1));
        assertThrows(FileNotFoundException.class, () -> alice.setTimes(child("nothing"), -1, -1));
    }

    @Test
    void truncationOfDirectoryIsRefusedFirstToWhoMayNotWriteIt() throws IOException {
        Path directory = directory(child("directory"), CLOSED);
        assertThrows(AccessControlException.class, () -> alice.truncate(directory, 0));
        assertThrows(FileNotFoundException.class, () -> superuser.truncate(directory, 0));
    }

    @Test
    void concatTellsWhatHdfsFindsFirst() throws IOException {
        Path target = file("target");
        Path source = file("source");
        Path[] elsewhere = {new Path("/nowhere/source")};
        assertThrows(AccessControlException.class, () -> alice.concat(target, elsewhere));
        assertThrows(FileNotFoundException.class, () -> superuser.concat(target, elsewhere));
        assertThrows(FileNotFoundException.class, () -> superuser.concat(base, new Path[] {source}));
    }

    @Test
    void linksHaveNoLengthAndCountAsFiles() throws IOException {
        superuser.createSymlink(new Path("/somewhere/far/away"), child("link"), false);
        assertEquals(0, superuser.getFileLinkStatus(child("link")).getLen());
        assertEquals(1, superuser.getContentSummary(base).getFileCount());
        ContentSummary ofLink = superuser.getContentSummary(child("link"));
        assertEquals(Map.of(0L, 1L), Map.of(ofLink.getDirectoryCount(), ofLink.getFileCount()));
    }

    @Test
    void nameOfLinkThatIsTakenIsToldBeforePermission() throws IOException {
        Path file = file("file");
        superuser.setPermission(base, new FsPermission((short) 0755));
        assertThrows(FileAlreadyExistsException.class, () -> alice.createSymlink(new Path("target"), file, false));
    }

    @Test
    void linkIsFollowedByCreationWhereverItIs() throws Exception {
        Path closed = directory(child("closed"), new FsPermission((short) 0755));
        superuser.createSymlink(child("file"), new Path(closed, "link"), false);
        PrivilegedExceptionAction<FSDataOutputStream> creating = () -> alice.create(new Path(closed, "link"));
        user.doAs(creating).close();
        assertEquals("alice", superuser.getFileStatus(child("file")).getOwner());
    }

    @Test
    void emptyFileHasTheChecksumThatHdfsGivesIt() throws IOException {
        assertEquals(
                "MD5-of-0MD5-of-0CRC32:70bc8f4b72a86921468bf8e8441dce51",
                alice.getFileChecksum(file("file")).toString());
    }
}
