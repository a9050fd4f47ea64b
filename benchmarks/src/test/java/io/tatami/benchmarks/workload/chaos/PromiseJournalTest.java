package io.tatami.benchmarks.workload.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.workload.chaos.PromiseBook.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of files after their writer was killed, and what contradicts it. */
class PromiseJournalTest {
    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("0.journal");
    }

    @Test
    void anotherGoesOnWhereAWriterWasKilledInALine() throws IOException {
        try (PromiseJournal journal = PromiseJournal.open(file())) {
            PromisedFile file = journal.begin(7, "/a");
            journal.write(Event.MADE, file);
            journal.write(Event.ATTEMPT, file, 100);
            journal.write(Event.PROMISE, file, 60);
        }
        Files.writeString(file(), "CLOSED 7 1", StandardOpenOption.APPEND);

        try (PromiseJournal journal = PromiseJournal.open(file())) {
            PromisedFile file = journal.book().uncertain().get(0);
            assertEquals(60, file.promised);
            assertEquals(100, file.attempted);
            assertTrue(file.isThere());
            assertFalse(file.isClosed);
            journal.write(Event.CLOSED, file, 80);
        }
        PromiseBook book = PromiseJournal.read(file());
        assertEquals(80, book.certain().get(0).promised);
        assertEquals(80, book.certain().get(0).attempted);
        assertEquals(7, book.lastId());
    }

    @Test
    void aRenameThatWasNotAnsweredLeavesTwoPlacesUntilOneIsKnown() throws IOException {
        try (PromiseJournal journal = PromiseJournal.open(file())) {
            PromisedFile file = journal.begin(7, "/a");
            journal.write(Event.MADE, file);
            journal.write(Event.CLOSED, file, 3);
            journal.write(Event.MOVE, file, "/b");
            PromiseBook book = journal.book();
            assertEquals(List.of(file), book.uncertain());
            assertEquals(List.of(), book.contradictions(List.of("/a")));
            assertEquals(List.of(), book.contradictions(List.of("/b")));
            assertEquals(1, book.contradictions(List.of("/a", "/b")).size());
            assertEquals(1, book.contradictions(List.of()).size());

            journal.write(Event.PLACED, file, "/b");
            assertEquals("/b", file.place());
            assertEquals(2, book.contradictions(List.of("/a")).size());
        }
    }

    @Test
    void whatIsDeletedMayBeThereUntilItIsGone() throws IOException {
        try (PromiseJournal journal = PromiseJournal.open(file())) {
            PromisedFile file = journal.begin(7, "/a");
            PromiseBook book = journal.book();
            assertEquals(List.of(), book.contradictions(List.of()), "its creation is not answered");
            journal.write(Event.MADE, file);
            journal.write(Event.CLOSED, file, 3);
            assertEquals(1, book.contradictions(List.of()).size());
            journal.write(Event.DROP, file);
            assertEquals(List.of(), book.contradictions(List.of()));
            assertEquals(List.of(), book.contradictions(List.of("/a")));
            journal.write(Event.GONE, file);
            assertEquals(1, book.contradictions(List.of("/a")).size());
        }
    }
}
