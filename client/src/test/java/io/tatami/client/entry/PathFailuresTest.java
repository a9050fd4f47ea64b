package io.tatami.client.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.tatami.base.Denial;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.TatamiException;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import org.junit.jupiter.api.Test;

final class PathFailuresTest {
    private static final TatamiPath PATH = TatamiPath.ROOT.listedChild("a").listedChild("f");
    private static final TatamiPath OTHER = TatamiPath.ROOT.listedChild("g");
    private static final Denial.Inode DIRECTORY = new Denial.Inode("ann", "staff", 01755, true);
    private static final Denial.Inode FILE = new Denial.Inode("bob", "users", 0640, false);

    private static TatamiException refusal(ErrorCode code, RefusalSubject subject, Detail detail) {
        return new TatamiException(code, "as the shard has it", subject, detail, null);
    }

    private static TatamiException refusal(ErrorCode code, RequestDirectory directory) {
        return refusal(code, new EntrySubject(directory, "x"), Detail.NONE);
    }

    private static TatamiException denial(RequestDirectory directory, String name, Denial why) {
        return refusal(ErrorCode.PERMISSION_DENIED, new EntrySubject(directory, name), why);
    }

    @Test
    void denialsNameThePathInTheWordsOfHdfs() {
        Denial refused = new Denial.AccessRefused("eve", Denial.WRITE, DIRECTORY);
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/a\":ann:staff:drwxr-xr-t",
                PathFailures.named(denial(RequestDirectory.PARENT, "", refused), PATH)
                        .getMessage());
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/a/f\":ann:staff:drwxr-xr-t",
                PathFailures.inDirectory(denial(RequestDirectory.PARENT, "", refused), PATH)
                        .getMessage());
        assertEquals(
                "Permission denied: user=eve, access=READ, inode=\"/a/f\":bob:users:-rw-r-----",
                PathFailures.named(
                                denial(
                                        RequestDirectory.PARENT,
                                        "f",
                                        new Denial.AccessRefused("eve", Denial.READ, FILE)),
                                PATH)
                        .getMessage());
        assertEquals(
                "Permission denied. user=eve is not the owner of inode=/g",
                PathFailures.named(denial(RequestDirectory.PARENT, "g", new Denial.OwnerOnly("eve")), OTHER)
                        .getMessage());
        assertEquals(
                "Permission denied by sticky bit: user=eve, path=\"/a/f\":bob:users:-rw-r-----,"
                        + " parent=\"/a\":ann:staff:drwxr-xr-t",
                PathFailures.named(
                                denial(RequestDirectory.SOURCE, "f", new Denial.StickyBit("eve", FILE, DIRECTORY)),
                                PATH,
                                OTHER)
                        .getMessage());
    }

    @Test
    void aRenameNamesTheEndThatIsRefused() {
        assertEquals("rename source /a/f is not found", renamed(ErrorCode.NOT_FOUND, RequestDirectory.SOURCE));
        assertEquals("/a/f is a directory", renamed(ErrorCode.IS_A_DIRECTORY, RequestDirectory.SOURCE));
        assertEquals(
                "/a/f is a symlink to the rename destination",
                renamed(ErrorCode.ALREADY_EXISTS, RequestDirectory.SOURCE));
        assertEquals(
                "rename destination /g already exists",
                renamed(ErrorCode.ALREADY_EXISTS, RequestDirectory.DESTINATION));
        assertEquals(
                "rename destination /g is a directory",
                renamed(ErrorCode.IS_A_DIRECTORY, RequestDirectory.DESTINATION));
        assertEquals("/g: as the shard has it", renamed(ErrorCode.BUSY, RequestDirectory.DESTINATION));
        assertEquals(
                "the source and the destination /g are the same",
                PathFailures.named(refusal(ErrorCode.ALREADY_EXISTS, RequestDirectory.SOURCE), OTHER, OTHER)
                        .getMessage());
    }

    private static String renamed(ErrorCode code, RequestDirectory end) {
        return String.valueOf(
                PathFailures.named(refusal(code, end), PATH, OTHER).getMessage());
    }

    @Test
    void whatShardsSayOfANameIsToldOfThePath() {
        assertEquals("File does not exist: /a/f", named(ErrorCode.NOT_FOUND));
        assertEquals("/a/f already exists", named(ErrorCode.ALREADY_EXISTS));
        assertEquals("Path is not a file: /a/f", named(ErrorCode.IS_A_DIRECTORY));
        assertEquals("/a/f (is not a directory)", named(ErrorCode.NOT_A_DIRECTORY));
        assertEquals("/a/f: as the shard has it", named(ErrorCode.LEASE_HELD));
        assertEquals("as the shard has it", named(ErrorCode.INVALID_ARGUMENT));
    }

    private static String named(ErrorCode code) {
        return String.valueOf(PathFailures.named(refusal(code, RefusalSubject.NONE, Detail.NONE), PATH)
                .getMessage());
    }

    @Test
    void whatIsToldIsNotToldAgain() {
        TatamiException told = PathFailures.named(refusal(ErrorCode.BUSY, RefusalSubject.NONE, Detail.NONE), PATH);
        assertSame(told, PathFailures.named(told, PATH));
        TatamiException obstacle = refusal(ErrorCode.NOT_A_DIRECTORY, RefusalSubject.NONE, new Detail.Obstacle("/a"));
        assertSame(obstacle, PathFailures.named(obstacle, PATH));
    }

    /** A name may look like whatever messages are made of. */
    @Test
    void aNameIsNotTakenForAnythingElse() {
        TatamiPath odd = PATH.listedChild("{parent}");
        assertEquals(
                "Permission denied. user=eve is not the owner of inode=/a/f/{parent}",
                PathFailures.named(denial(RequestDirectory.PARENT, "{parent}", new Denial.OwnerOnly("eve")), odd)
                        .getMessage());
    }

    @Test
    void aLinkThatTheNameStandsForIsToldAsSuch() {
        UnresolvedLinkException link = assertInstanceOf(
                UnresolvedLinkException.class,
                PathFailures.named(
                        refusal(ErrorCode.UNRESOLVED_LINK, RefusalSubject.NONE, new Detail.LinkTarget("/b")), PATH));
        assertEquals("/b", link.target());
        assertEquals(new Detail.LinkTarget("/b"), link.detail());
    }
}
