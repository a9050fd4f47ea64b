package io.tatami.hadoop.jar;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;

/**
 * What a program does to a file system, in words of Hadoop that 3.3.4 and all later releases share; {@link NewerWords}
 * has the others. Knows nothing of Tatami but the address and the settings of the README. Its arguments are the address
 * and a directory.
 */
final class UserProgram {
    static final String DONE = "everything was done by ";

    private final Path directory;
    private final byte[] bytes = new byte[300_000];

    private UserProgram(Path directory) {
        this.directory = directory;
        new Random(7).nextBytes(bytes);
    }

    public static void main(String[] arguments) throws IOException {
        URI uri = URI.create(arguments[0]);
        FileSystem.get(URI.create("file:///"), new Configuration()).getFileStatus(new Path("/"));
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", uri.toString());
        configuration.set("fs.AbstractFileSystem.tatami.impl", "io.tatami.hadoop.TatamiFs");
        UserProgram program = new UserProgram(new Path(arguments[1]));
        try (FileSystem fs = FileSystem.get(configuration)) {
            program.useFileSystem(fs);
            program.meetWriter(fs);
            NewerWords.use(fs, program.directory);
        }
        program.useFileContext(FileContext.getFileContext(configuration));
        // As Spark sets it, which does not have the class from the service loader.
        Configuration named = new Configuration(configuration);
        named.set("fs.tatami.impl", "io.tatami.hadoop.TatamiFileSystem");
        try (FileSystem fs = FileSystem.newInstance(named)) {
            program.useFileSystem(fs);
            fs.delete(program.directory, true);
        }
        System.out.println(DONE
                + FileSystem.getFileSystemClass("tatami", configuration)
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation());
    }

    private void useFileSystem(FileSystem fs) throws IOException {
        Path file = new Path(directory, "a/file");
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(bytes, 0, 100_000);
            out.hsync();
            out.write(bytes, 100_000, 100_000);
            out.hflush();
            byte[] seen = new byte[200_000];
            try (FSDataInputStream in = fs.open(file)) {
                in.readFully(0, seen);
            }
            expect(Arrays.equals(Arrays.copyOf(bytes, seen.length), seen), "what was hflushed is read");
            out.write(bytes, 200_000, 100_000);
        }
        expect(Arrays.equals(bytes, read(fs.open(file))), "the bytes that were written are read");
        Path renamed = new Path(directory, "a/renamed");
        expect(fs.rename(file, renamed), "a rename that is possible returns true");
        FileStatus[] listed = fs.listStatus(renamed.getParent());
        expect(listed.length == 1 && listed[0].getPath().getName().equals("renamed"), "the new name is listed");
        try {
            fs.open(file).close();
            throw new IllegalStateException("the old name is still there");
        } catch (FileNotFoundException expected) {
            expect(String.valueOf(expected.getMessage()).contains("/a/file"), "who looks for the old name is told so");
        }
        try (FSDataOutputStream out = fs.append(renamed)) {
            out.write(1);
        }
        expect(fs.getFileStatus(renamed).getLen() == bytes.length + 1, "an append makes the file longer");
        expect(fs.getFileBlockLocations(renamed, 0, 1).length == 1, "blocks have locations");
        expect(fs.delete(new Path(directory, "a"), true), "a delete of what is there returns true");
        expect(!fs.exists(renamed), "what was deleted is gone");
    }

    /** The exception is HDFS's own where its jar is there, and else an IOException that says the same. */
    private void meetWriter(FileSystem fs) throws IOException {
        Path file = new Path(directory, "open");
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(1);
            out.hflush();
            try {
                fs.append(file).close();
                throw new IllegalStateException("two wrote the same file");
            } catch (IOException expected) {
                System.out.println(
                        "the second writer met " + expected.getClass().getName());
            }
        }
    }

    private void useFileContext(FileContext context) throws IOException {
        Path file = new Path(directory, "b/file");
        Path other = new Path(directory, "b/other");
        for (Path path : new Path[] {file, other}) {
            try (FSDataOutputStream out =
                    context.create(path, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) {
                out.write(bytes);
            }
        }
        context.rename(file, other, Rename.OVERWRITE);
        expect(context.util().listStatus(other.getParent()).length == 1, "a rename may replace");
        expect(Arrays.equals(bytes, read(context.open(other))), "and keeps the bytes");
        expect(context.delete(directory, true), "all is deleted");
    }

    private static byte[] read(FSDataInputStream in) throws IOException {
        try (in) {
            return in.readAllBytes();
        }
    }

    private static void expect(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }
}
