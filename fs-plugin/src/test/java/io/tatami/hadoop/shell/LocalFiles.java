package io.tatami.hadoop.shell;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;

/** The local files that each section of the script begins with, made once: a sequence file is never the same twice. */
final class LocalFiles {
    private static final int LARGE_BYTES = 40_000;

    private final Path directory;

    /** @param directory where they are made; it is not there yet */
    LocalFiles(Path directory) throws IOException {
        this.directory = directory;
        Files.createDirectories(directory.resolve("tree/a"));
        Files.writeString(directory.resolve("zero"), "");
        Files.writeString(directory.resolve("ten"), "0123456789");
        Files.writeString(directory.resolve("other"), "other");
        Files.writeString(directory.resolve("lines"), "b\na\nc\n");
        Files.writeString(directory.resolve("tree/a/deep"), "deep");
        Files.writeString(directory.resolve("tree/b"), "b");
        Files.writeString(
                directory.resolve("large"),
                "0123456789abcdef\n".repeat(LARGE_BYTES).substring(0, LARGE_BYTES));
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(directory.resolve("words.gz")))) {
            gzip.write("some words\nof text\n".getBytes(StandardCharsets.UTF_8));
        }
        writeSequence(directory.resolve("words.seq"));
    }

    private static void writeSequence(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                SequenceFile.Writer writer = SequenceFile.createWriter(
                        new Configuration(),
                        SequenceFile.Writer.stream(new org.apache.hadoop.fs.FSDataOutputStream(out, null)),
                        SequenceFile.Writer.keyClass(Text.class),
                        SequenceFile.Writer.valueClass(IntWritable.class))) {
            writer.append(new Text("one"), new IntWritable(1));
            writer.append(new Text("two"), new IntWritable(2));
        }
    }

    void copyTo(Path destination) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted().toList();
        }
        for (Path file : all) {
            Files.copy(file, destination.resolve(directory.relativize(file)));
        }
    }
}
