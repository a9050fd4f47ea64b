package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What failures of the system say, for people. */
final class CausesTest {
    @Test
    void aFailureIsToldByItsTextAndNotByItsClassOrItsWrappings() {
        IOException failure = new IOException("Input/output error");
        assertEquals("Input/output error", Causes.inWords(failure));
        assertEquals("Input/output error", Causes.inWords(new ExecutionException(new CompletionException(failure))));
        assertEquals(
                "not here",
                Causes.inWords(new ExecutionException(new TatamiException(ErrorCode.NOT_LEADER, "not here"))));
        assertEquals("IllegalStateException", Causes.inWords(new IllegalStateException()));
    }

    /** The text of most of them is a path and no more. */
    @Test
    void aFailureOfAFileSaysWhatIsWrongWithWhichFile(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("f"));
        Path missing = directory.resolve("missing");
        assertEquals(
                "there is no " + missing,
                Causes.inWords(assertThrows(IOException.class, () -> Files.readAllBytes(missing))));
        assertEquals(
                file + " is there already",
                Causes.inWords(assertThrows(IOException.class, () -> Files.createFile(file))));
        assertEquals(
                directory + " is not empty",
                Causes.inWords(assertThrows(IOException.class, () -> Files.delete(directory))));
        assertEquals(file + " is not a directory", Causes.inWords(new NotDirectoryException(file.toString())));
        assertEquals("/f: full", Causes.inWords(new FileSystemException("/f", null, "full")));
    }

    @Test
    void aConnectionThatCannotBeMadeIsToldWithItsReason() {
        assertEquals(
                "the connection is refused, as no server listens there",
                SystemErrorText.ofConnection(new ConnectException("Connection refused: localhost/127.0.0.1:1")));
        assertEquals(
                "connection timed out after 5 ms: h:1",
                SystemErrorText.ofConnection(new ConnectException("connection timed out after 5 ms: h:1")));
        assertEquals(
                "the host cannot be reached", SystemErrorText.ofConnection(new NoRouteToHostException("no route")));
        assertEquals("the host's name cannot be resolved", SystemErrorText.ofConnection(new UnknownHostException("h")));
        assertEquals(
                "the host's name cannot be resolved", SystemErrorText.ofConnection(new UnresolvedAddressException()));
    }
}
