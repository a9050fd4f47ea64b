package io.tatami.benchmarks.quickstart;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Real text that any build machine can have: the sources of the libraries this build resolved, which Maven fetches as
 * it fetched the libraries. Collected into a few large files.
 */
final class Corpus {
    private static final long BYTES_MIN = 100L << 20;
    private static final long BYTES_MAX = 200L << 20;
    private static final int FILES = 4;
    private static final long FETCH_MINUTES_MAX = 6;
    private static final long LOOK_SECONDS = 10;

    private final Path source;
    private final Path directory;
    private final Steps steps;

    /**
     * @param source the source tree this program was built from
     * @param directory where the corpus is put
     * @param steps receives the progress
     */
    Corpus(Path source, Path directory, Steps steps) {
        this.source = source;
        this.directory = directory;
        this.steps = steps;
    }

    /** Returns the directory with the files, at least 100 MB of them. */
    Path collect() throws IOException, InterruptedException {
        Path jars = Files.createDirectories(directory.resolve("jars"));
        fetchSources(jars);
        Path texts = Files.createDirectories(directory.resolve("texts"));
        long total = 0;
        List<Path> archives;
        try (Stream<Path> found = Files.list(jars)) {
            archives = found.sorted().toList();
        }
        for (int i = 0; i < FILES && total < BYTES_MAX; i++) {
            try (OutputStream out =
                    new BufferedOutputStream(Files.newOutputStream(texts.resolve("sources-" + i + ".txt")))) {
                for (int j = i; j < archives.size() && total < BYTES_MAX; j += FILES) {
                    total += appendTexts(archives.get(j), out);
                }
            }
        }
        if (total < BYTES_MIN) {
            throw new IOException(
                    "only " + total + " bytes of sources were found; give a directory of text by --corpus");
        }
        return texts;
    }

    private void fetchSources(Path jars) throws IOException, InterruptedException {
        Path log = directory.resolve("fetch.log");
        Path pom = Files.writeString(directory.resolve("pom.xml"), LibraryCoordinates.pomOfOwnClassPath());
        Process maven = new ProcessBuilder(
                        source.resolve("mvnw").toString(),
                        "-B",
                        "-f",
                        pom.toString(),
                        "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
                        "-Dclassifier=sources",
                        "-DoutputDirectory=" + jars)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await(maven, log);
        } finally {
            maven.destroy();
        }
        if (maven.exitValue() != 0) {
            throw new IOException("fetching sources failed; give a directory of text by --corpus. Maven said:\n"
                    + Files.readString(log));
        }
    }

    private void await(Process maven, Path log) throws IOException, InterruptedException {
        int looksMax = (int) (TimeUnit.MINUTES.toSeconds(FETCH_MINUTES_MAX) / LOOK_SECONDS);
        for (int looks = 0; looks < looksMax; looks++) {
            if (maven.waitFor(LOOK_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
            try (Stream<String> lines = Files.lines(log)) {
                long downloaded =
                        lines.filter(line -> line.contains("Downloaded from")).count();
                steps.detail(downloaded == 0 ? "Maven looks for them" : downloaded + " files downloaded");
            }
        }
        throw new IOException("fetching sources took longer than " + FETCH_MINUTES_MAX
                + " minutes; give a directory of text by --corpus");
    }

    private static long appendTexts(Path archive, OutputStream out) throws IOException {
        long bytes = 0;
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".java")) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        bytes += in.transferTo(out);
                    }
                }
            }
        }
        return bytes;
    }
}
