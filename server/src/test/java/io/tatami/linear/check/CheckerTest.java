package io.tatami.linear.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.linear.check.Checker.Result;
import io.tatami.linear.check.Checker.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Histories with a mistake planted in them are rejected, and what differs from them by a little and is right is not.
 */
class CheckerTest {
    private static Result check(String history) {
        return Checker.DEFAULT.check(History.parse(history));
    }

    private static void accepts(String history) {
        Result result = check(history);
        assertEquals(Verdict.LINEARIZABLE, result.verdict(), result::explanation);
    }

    private static void rejects(String history) {
        assertEquals(Verdict.VIOLATION, check(history).verdict(), () -> "accepted:\n" + history);
    }

    @Test
    void aReadUnderTheOldNameAfterAnAncestorWasRenamed() {
        String before = """
            c1 1 2 mkdirs /a/d -> true
            c1 3 4 create /a/d/f #1 -> ok
            """;
        rejects(before + "c1 5 8 rename /a /b -> ok\nc2 9 10 status /a/d/f -> open:1");
        accepts(before + "c1 5 8 rename /a /b -> ok\nc2 7 10 status /a/d/f -> open:1");
        accepts(before + "c1 5 8 rename /a /b -> ok\nc2 9 10 status /b/d/f -> open:1");
        rejects(before + "c1 5 8 rename /a /b -> ok\nc2 9 10 status /b/d/f -> NOT_FOUND");
        accepts(before + "c1 5 - rename /a /b -> ?\nc2 9 10 status /a/d/f -> open:1");
    }

    @Test
    void twoExclusiveCreatesThatBothSucceed() {
        String before = "c1 1 2 mkdirs /a -> true\n";
        rejects(before + "c1 3 6 create /a/f #1 -> ok\nc2 4 5 create /a/f #2 -> ok");
        accepts(before + "c1 3 6 create /a/f #1 -> ok\nc2 4 5 create /a/f #2 -> LEASE_HELD");
        accepts(before + "c1 3 6 overwrite /a/f #1 -> ok\nc2 4 5 create /a/f #2 -> ok");
        accepts(before + "c1 3 6 create /a/f #1 -> ok\nc2 4 5 create /a/f #2 -> ok\nc3 4 6 delete /a/f -> true");
    }

    @Test
    void anAcknowledgedCreateThatIsLost() {
        String before = "c1 1 2 mkdirs /a -> true\n";
        rejects(before + "c1 3 4 create /a/f #1 -> ok\nc1 5 6 close #1 -> ok\nc2 7 8 status /a/f -> NOT_FOUND");
        rejects(before + "c1 3 4 create /a/f #1 -> ok\nc1 5 6 close #1 -> ok\nc2 7 8 list /a -> []");
        accepts(before + "c1 3 4 create /a/f #1 -> ok\nc1 5 6 close #1 -> ok\nc2 7 8 list /a -> [f=file:1]");
        accepts(before + "c1 3 - create /a/f #1 -> ?\nc2 7 8 status /a/f -> NOT_FOUND");
        accepts(before + "c1 3 - create /a/f #1 -> ?\nc2 7 8 status /a/f -> open:?");
        rejects(before + "c1 3 - create /a/f #1 -> ?\nc2 7 8 status /a/f -> open:?\nc2 9 10 status /a/f -> NOT_FOUND");
        accepts(before + "c1 3 - create /a/f #1 -> ?\nc2 7 8 status /a/f -> NOT_FOUND\nc2 9 10 status /a/f -> open:?");
    }

    @Test
    void aCloseThatIsLostOrOfAFileThatIsGone() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 4 create /a/f #7 -> ok\n";
        rejects(before + "c1 5 6 close #7 -> ok\nc2 7 8 status /a/f -> open:7");
        rejects(before + "c1 5 6 close #7 -> ok\nc2 7 8 status /a/f -> file:0");
        rejects(before + "c2 5 6 delete_all /a -> true\nc1 7 8 close #7 -> ok");
        accepts(before + "c2 5 6 delete_all /a -> true\nc1 7 8 close #7 -> LEASE_EXPIRED");
        accepts(before + "c2 5 6 rename /a /b -> ok\nc1 7 8 close #7 -> ok\nc2 9 10 status /b/f -> file:7");
        accepts(before + "c1 5 - close #7 -> ?\nc2 7 8 status /a/f -> open:7\nc2 9 10 status /a/f -> file:7");
    }

    @Test
    void anOpenFileThatIsLostWithTheLeaderStaysSoUntilItIsClosed() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 4 create /a/f #7 -> ok\n";
        accepts(before + "c2 5 6 status /a/f -> open:7\nc2 7 8 status /a/f -> lost:7\nc2 9 10 list /a -> [f=lost:7]");
        accepts(before + "c2 5 6 status /a/f -> lost:?");
        rejects(before + "c2 5 6 status /a/f -> lost:7\nc2 7 8 status /a/f -> open:7");
        rejects(before + "c2 5 6 status /a/f -> lost:8");
        rejects(before + "c2 5 6 list /a -> [g=lost:7]");
        accepts(before + "c2 5 6 status /a/f -> lost:7\nc1 7 8 close #7 -> ok\nc2 9 10 status /a/f -> file:7");
        rejects(before + "c1 5 6 close #7 -> ok\nc2 7 8 status /a/f -> lost:7");
        accepts(before + "c2 5 6 create /a/f #8 -> ALREADY_EXISTS\nc2 7 8 status /a/f -> lost:7");
        rejects(before + "c2 5 6 create /a/f #8 -> ALREADY_EXISTS\nc2 7 8 status /a/f -> open:7");
        rejects(before + "c2 5 6 status /a/f -> lost:7\nc2 7 8 create /a/f #8 -> LEASE_HELD");
        accepts(before + "c2 5 6 list / -> [a/]\nc2 7 8 overwrite /a/f #8 -> ok\nc1 9 10 close #7 -> LEASE_EXPIRED");
    }

    @Test
    void aCreateThatLandsUnderTheOldPathAfterTheDirectoryWasRenamed() {
        String before = "c1 1 2 mkdirs /a/d -> true\nc1 3 4 rename /a/d /a/e -> ok\n";
        rejects(before + "c2 5 6 create /a/d/f #1 -> ok");
        accepts(before + "c2 5 6 create /a/d/f #1 -> NOT_FOUND");
        rejects("c1 1 2 mkdirs /a/d -> true\nc1 3 6 rename /a/d /a/e -> ok\nc2 4 5 create /a/d/f #1 -> ok\n"
                + "c2 7 8 status /a/e/f -> NOT_FOUND");
        accepts("c1 1 2 mkdirs /a/d -> true\nc1 3 6 rename /a/d /a/e -> ok\nc2 4 5 create /a/d/f #1 -> ok\n"
                + "c2 7 8 status /a/e/f -> open:1");
    }

    @Test
    void aListingDuringARenameThatShowsTheFileTwiceOrNotAtAll() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 4 create /a/f #1 -> ok\nc1 5 10 rename /a/f /a/g -> ok\n";
        rejects(before + "c2 6 9 list /a -> [f=open:1 g=open:1]");
        rejects(before + "c2 6 9 list /a -> []");
        accepts(before + "c2 6 9 list /a -> [f=open:1]");
        accepts(before + "c2 6 9 list /a -> [g=open:1]");
        rejects(before + "c2 11 12 list /a -> [f=open:1]");
    }

    @Test
    void aDirectoryThatWasDeletedThoughItHadAFile() {
        String before = "c1 1 2 mkdirs /a -> true\n";
        rejects(before + "c1 3 4 create /a/f #1 -> ok\nc2 5 6 delete /a -> true");
        accepts(before + "c1 3 4 create /a/f #1 -> ok\nc2 5 6 delete /a -> NOT_EMPTY");
        accepts(before + "c1 3 4 create /a/f #1 -> ok\nc2 5 6 delete_all /a -> true");
        rejects(before + "c1 3 6 create /a/f #1 -> ok\nc2 4 5 delete /a -> true");
        accepts(before + "c1 3 6 create /a/f #1 -> NOT_FOUND\nc2 4 5 delete /a -> true");
        rejects(before + "c1 3 6 create /a/f #1 -> NOT_FOUND\nc2 4 5 delete /a -> NOT_EMPTY");
    }

    @Test
    void readsThatGoBackInTime() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 12 create /a/f #1 -> ok\n";
        rejects(before + "c2 4 5 status /a/f -> open:1\nc3 6 7 status /a/f -> NOT_FOUND");
        accepts(before + "c2 4 5 status /a/f -> NOT_FOUND\nc3 6 7 status /a/f -> open:1");
        accepts(before + "c2 4 7 status /a/f -> open:1\nc3 5 6 status /a/f -> NOT_FOUND");
        rejects("c1 1 2 mkdirs /a -> true\nc1 3 - create /a/f #1 -> ?\n"
                + "c2 4 5 status /a/f -> open:?\nc3 6 7 list /a -> []");
    }

    @Test
    void aFileThatIsAtTwoPlacesOrComesBack() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 4 mkdirs /b -> true\nc1 5 6 create /a/f #1 -> ok\n";
        rejects(before
                + "c1 7 14 rename /a/f /b/f -> ok\nc2 8 9 status /b/f -> open:1\nc2 10 11 status /a/f -> open:1");
        accepts(before
                + "c1 7 14 rename /a/f /b/f -> ok\nc2 8 9 status /a/f -> open:1\nc2 10 11 status /b/f -> open:1");
        rejects(before + "c1 7 8 delete /a/f -> true\nc2 9 10 status /a/f -> open:1");
        rejects(before + "c1 7 - rename /a/f /b/f -> ?\nc2 8 9 status /b/f -> open:1\nc2 10 11 delete /b/f -> true\n"
                + "c2 12 13 status /b/f -> open:1");
    }

    @Test
    void anErrorOfTheWrongKind() {
        String before = "c1 1 2 mkdirs /a -> true\nc1 3 4 create /a/f #1 -> ok\n";
        accepts(before + "c1 5 6 status /a/f/x -> NOT_A_DIRECTORY");
        rejects(before + "c1 5 6 status /a/f/x -> NOT_FOUND");
        accepts(before + "c1 5 6 rename /a /a/d -> INVALID_ARGUMENT");
        rejects(before + "c1 5 6 rename /a /a/d -> NOT_FOUND");
        rejects(before + "c1 5 6 replace /a/f /a -> ok");
    }

    @Test
    void aMistakeInOnePartIsFoundBesideOthersAndAcrossThoseThatARenameConnects() {
        String other = "c3 1 9 mkdirs /z -> true\nc3 10 11 list /z -> []\n";
        rejects(other + "c1 1 2 mkdirs /a -> true\nc2 3 4 status /a -> NOT_FOUND");
        rejects(other + "c1 2 12 rename /z /y -> ok\nc2 13 14 status /y -> NOT_FOUND");
        accepts(other + "c1 2 12 rename /z /y -> ok\nc2 13 14 status /y -> dir");
        rejects(other + "c1 2 3 mkdirs /a -> true\nc2 4 5 list / -> []");
    }

    @Test
    void whatIsTooMuchIsUndecidedAndNotPassed() {
        StringBuilder history = new StringBuilder("c1 1 2 mkdirs /a -> true\n");
        for (int i = 0; i < 16; i++) {
            history.append("c2 ")
                    .append(3 + i)
                    .append(" - create /a/f")
                    .append(i)
                    .append(" #")
                    .append(i + 1);
            history.append(" -> ?\n");
        }
        history.append("c1 30 31 list /a -> [impossible=open:?]");
        Result result = new Checker(1_000).check(History.parse(history.toString()));
        assertEquals(Verdict.UNDECIDED, result.verdict());
        assertTrue(result.configurations() <= 1_000, result.toString());
    }

    @Test
    void aViolationIsShrunkToWhatMatters() {
        List<Operation> history = History.parse("""
            c1 1 2 mkdirs /a -> true
            c2 3 4 list /a -> []
            c2 5 6 status /a/g -> NOT_FOUND
            c1 7 8 create /a/f #1 -> ok
            c2 9 10 status /a/f -> NOT_FOUND
            c2 11 12 delete /a/f -> true
            c2 13 14 list /a -> []
            """);
        assertEquals("""
            c1 1 2 mkdirs /a -> true
            c1 7 8 create /a/f #1 -> ok
            c2 9 10 status /a/f -> NOT_FOUND
            """, History.text(Shrinking.shrink(Checker.DEFAULT, history)));
    }

    @Test
    void aHistoryIsReadBackFromItsText() {
        String text = """
            c1 1 - replace /a/f /b/f -> ?
            c2 3 4 create /a/f #17 -> ok
            c2 5 6 close #17 -> LEASE_EXPIRED
            c10 7 18 list / -> [a/ b=file:3]
            """;
        assertEquals(text, History.text(History.parse("# a comment\n\n" + text)));
    }
}
