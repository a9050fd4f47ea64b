package io.tatami.benchmarks.workload.chaos;

import java.nio.file.Path;

/** Where a writer has its files, and where its journal is. */
final class JournalNames {
    private static final String SUFFIX = ".journal";

    private JournalNames() {}

    static String directory(long writer) {
        return "/chaos/writer-" + writer;
    }

    static Path file(Path journals, long writer) {
        return journals.resolve(writer + SUFFIX);
    }

    /** Whose journal a file is. */
    static long writer(Path file) {
        String name = String.valueOf(file.getFileName());
        return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    }
}
