package io.tatami.benchmarks.workload.small;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** How many files there are, and who works on them. */
final class SmallOptions {
    @Option(names = "--small-files", description = "How many of --small-bytes, 0 for none (default: ${DEFAULT-VALUE}).")
    int smallFiles = 100_000;

    @Option(names = "--small-bytes", description = "Default: ${DEFAULT-VALUE}.")
    long smallBytes = 10_000;

    @Option(
            names = "--middling-files",
            description = "How many of --middling-bytes, 0 for none (default: ${DEFAULT-VALUE}).")
    int middlingFiles = 10_000;

    @Option(names = "--middling-bytes", description = "Default: ${DEFAULT-VALUE}.")
    long middlingBytes = 1_000_000;

    @Option(names = "--clients", description = "Clients at once, eight to a JVM (default: ${DEFAULT-VALUE}).")
    int clients = 16;

    @Option(
            names = "--warm-up",
            paramLabel = "PERCENT",
            description =
                    "Of the files, written and read before, elsewhere and unmeasured (default: ${DEFAULT-VALUE}).")
    int warmUpPercent = 10;

    @Option(
            names = "--warm-up-seconds",
            description =
                    "How long at least those are written, each time anew, and how long they are read where reading is"
                            + " measured: as long for each peer, since Java compiles by time (default: ${DEFAULT-VALUE}).")
    int warmUpSeconds = 90;

    @Option(
            names = "--spare",
            paramLabel = "MIB",
            description =
                    "Room of Tatami's volume beyond twice the files: a server has no more new blocks under way at once than"
                            + " whole ones would fit (default: ${DEFAULT-VALUE}).")
    int spareMebibytes = 20_480;

    @Option(
            names = "--fresh-volume",
            description =
                    "Tatami's volume is a file that was just made. Otherwise all of it was written once before, as that of a"
                            + " volume in use: the first write of a place changes metadata of the file system below.")
    boolean freshVolume;

    @Option(
            names = "--only",
            split = ",",
            description = "What is done with the files once they are loaded; default all: ${COMPLETION-CANDIDATES}.")
    Set<Workload> only = EnumSet.allOf(Workload.class);

    /** What is done with files that are there. */
    enum Workload {
        LIST,
        READ
    }

    /** Files of one length. */
    record Crowd(String name, int files, long fileBytes) {
        double megabytes() {
            return files * (double) fileBytes / 1e6;
        }
    }

    /** Those asked for; 0 files are none. */
    List<Crowd> crowds() {
        return List.of(new Crowd("small", smallFiles, smallBytes), new Crowd("middling", middlingFiles, middlingBytes))
                .stream()
                .filter(crowd -> crowd.files() > 0)
                .toList();
    }

    /** Of Tatami's volume. */
    long capacityMebibytes() {
        double megabytes = crowds().stream().mapToDouble(Crowd::megabytes).sum();
        return spareMebibytes + (long) (2 * megabytes);
    }
}
