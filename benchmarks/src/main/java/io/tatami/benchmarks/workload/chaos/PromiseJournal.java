package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.workload.chaos.PromiseBook.Event;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A book in a file, so that the promises to a writer are known after its process was killed. The file is not flushed:
 * this machine goes on. Used by one thread.
 */
final class PromiseJournal implements AutoCloseable {
    private static final char NEWLINE = '\n';

    private final PromiseBook book;
    private final FileChannel channel;

    private PromiseJournal(PromiseBook book, FileChannel channel) {
        this.book = book;
        this.channel = channel;
    }

    /** Goes on in a file, or begins one; the last line is given up where its writer was killed in it. */
    static PromiseJournal open(Path file) throws IOException {
        PromiseBook book = Files.exists(file) ? read(file) : new PromiseBook();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.truncate(Files.exists(file) ? wholeLines(Files.readString(file)).length() : 0);
        channel.position(channel.size());
        return new PromiseJournal(book, channel);
    }

    /** The book in a file. */
    static PromiseBook read(Path file) throws IOException {
        PromiseBook book = new PromiseBook();
        wholeLines(Files.readString(file)).lines().forEach(book::apply);
        return book;
    }

    private static String wholeLines(String text) {
        return text.substring(0, text.lastIndexOf(NEWLINE) + 1);
    }

    PromiseBook book() {
        return book;
    }

    void write(Event event, PromisedFile file, String word) throws IOException {
        write(event, file.id, word);
    }

    void write(Event event, PromisedFile file, long length) throws IOException {
        write(event, file.id, Long.toString(length));
    }

    void write(Event event, PromisedFile file) throws IOException {
        write(event, file.id, "");
    }

    /** A file that is going to be made. */
    PromisedFile begin(long id, String path) throws IOException {
        write(Event.BEGIN, id, path);
        return book.files().stream().filter(file -> file.id == id).findFirst().orElseThrow();
    }

    private void write(Event event, long id, String word) throws IOException {
        String line = event + " " + id + " " + word;
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + NEWLINE);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        book.apply(line);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
