package io.tatami.hadoop.shell;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;

/**
 * Hadoop's shell with one file system as its default, and a directory of local files. Takes the standard streams of the
 * JVM while a command runs, so for one thread.
 */
final class ShellSide {
    private final Configuration configuration;
    private final LocalFiles originals;
    private final Path local;
    private final Map<String, UserGroupInformation> users = new HashMap<>();

    /** @param local of this side alone */
    ShellSide(Configuration configuration, LocalFiles originals, Path local) {
        this.configuration = configuration;
        this.originals = originals;
        this.local = local;
    }

    /** What a line came to, in words that are the same on both sides where the file systems are. */
    record Result(int exitCode, String output, String errors) {}

    /** Does the lines of a section in directories of their own. */
    List<Result> run(ShellScript.Section section) throws IOException, InterruptedException {
        originals.copyTo(filesOf(section));
        List<Result> results = new ArrayList<>();
        for (ShellLine line : section.lines()) {
            results.add(run(line, section));
        }
        return results;
    }

    private Path filesOf(ShellScript.Section section) {
        return local.resolve(section.directory());
    }

    private Result run(ShellLine line, ShellScript.Section section) throws IOException, InterruptedException {
        String[] arguments = line.arguments().stream()
                .map(argument -> filled(argument, section))
                .toArray(String[]::new);
        InputStream stdin = System.in;
        PrintStream stdout = System.out;
        PrintStream stderr = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int exitCode;
        try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
                PrintStream err = new PrintStream(errors, true, StandardCharsets.UTF_8)) {
            System.setIn(new ByteArrayInputStream(line.input().getBytes(StandardCharsets.UTF_8)));
            System.setOut(out);
            System.setErr(err);
            exitCode = user(line.user()).doAs((PrivilegedExceptionAction<Integer>)
                    () -> ToolRunner.run(new FsShell(new Configuration(configuration)), arguments));
        } finally {
            System.setIn(stdin);
            System.setOut(stdout);
            System.setErr(stderr);
        }
        SameWords words = new SameWords(configuration, filesOf(section), line.kind());
        return new Result(exitCode, words.of(output), words.of(errors));
    }

    private String filled(String argument, ShellScript.Section section) {
        return argument.replace("{dir}", "/shell/" + section.directory())
                .replace("{local}", filesOf(section).toString())
                .replace("{fs}", configuration.get("fs.defaultFS"))
                .replace("{user}", System.getProperty("user.name"));
    }

    private UserGroupInformation user(String user) throws IOException {
        return user.isEmpty()
                ? UserGroupInformation.getCurrentUser()
                : users.computeIfAbsent(user, UserGroupInformation::createRemoteUser);
    }

    /** What a section left in its local directory: names, modes and contents. */
    String localTree(ShellScript.Section section) throws IOException {
        try (Stream<Path> files = Files.walk(filesOf(section))) {
            return files.sorted().map(file -> told(filesOf(section), file)).collect(Collectors.joining("\n"));
        }
    }

    private static String told(Path directory, Path file) {
        try {
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
            String content = Files.isRegularFile(file) ? " " + Arrays.hashCode(Files.readAllBytes(file)) : "";
            return directory.relativize(file) + " " + mode + content;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
