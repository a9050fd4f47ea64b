package io.tatami.meta.log.raft.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptVoteTest {
    @TempDir
    private Path directory = Path.of("");

    /** A new file takes the name, as Ratis writes votes. */
    private void write(String text) throws IOException {
        Path next = directory.resolve("raft-meta.tmp");
        Path unused = Files.writeString(next, text);
        unused = Files.move(next, directory.resolve("raft-meta"), StandardCopyOption.ATOMIC_MOVE);
    }

    private String vote() throws IOException {
        return Files.readString(directory.resolve("raft-meta"));
    }

    @Test
    void whatIsKeptComesBackInTheStateOfThen() throws Exception {
        write("term=7\nvotedFor=s1\n");
        assertEquals(7, KeptVote.keep(directory));
        write("");
        assertTrue(KeptVote.restore(directory, 7));
        assertEquals("term=7\nvotedFor=s1\n", vote());
    }

    @Test
    void aVoteThatCouldNotBeWrittenIsNotKept() throws Exception {
        write("term=7\nvotedFor=s1\n");
        assertEquals(7, KeptVote.keep(directory));
        write("");
        assertThrows(IOException.class, () -> KeptVote.keep(directory));
        assertTrue(KeptVote.restore(directory, 0));
        write("term=8\nvotedFor=s2\n");
        assertEquals(8, KeptVote.keep(directory));
    }

    @Test
    void nothingComesBackWhereNothingWasKeptOrTheLogIsNewer() throws Exception {
        write("");
        assertFalse(KeptVote.restore(directory, 0));
        write("term=7\nvotedFor=s1\n");
        assertEquals(7, KeptVote.keep(directory));
        write("");
        assertFalse(KeptVote.restore(directory, 8));
        assertEquals("", vote());
    }

    /** A server that ended while it kept something. */
    @Test
    void whatWasLeftOfAnAttemptDoesNotStandInTheWay() throws Exception {
        write("term=7\n");
        Path unused = Files.writeString(directory.resolve("raft-meta.keeping"), "term=6\n");
        assertEquals(7, KeptVote.keep(directory));
        unused = Files.writeString(directory.resolve("raft-meta.keeping"), "term=6\n");
        write("");
        assertTrue(KeptVote.restore(directory, 0));
        assertEquals("term=7\n", vote());
    }
}
