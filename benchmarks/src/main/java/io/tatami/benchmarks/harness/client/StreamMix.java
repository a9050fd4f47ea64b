package io.tatami.benchmarks.harness.client;

/**
 * Readers beside writers for a time. Each reader has a share of the files there are and reads them again and again;
 * each writer writes files of that length, the third in place of its first and so on, so that the room they take has a
 * limit. Both stop when the time is over, and a writer closes the file it is at.
 *
 * @param source of what is read, by {@link StreamClients#write}
 * @param target where is written
 */
public record StreamMix(
        String source, String target, int readers, int writers, int files, long fileBytes, int seconds) {
    /** How many files of one writer there are at once, and one more that is being deleted. */
    public static final int FILES_PER_WRITER_MAX = 3;

    static StreamMix parse(String[] words) {
        return new StreamMix(
                words[1],
                words[2],
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]),
                Long.parseLong(words[6]),
                Integer.parseInt(words[7]));
    }

    int streams() {
        return readers + writers;
    }

    /** Readers are spread evenly among the clients, so that each JVM has its part of both kinds. */
    boolean isReader(int client) {
        return readersBelow(client + 1) > readersBelow(client);
    }

    /** Among the clients with smaller numbers: a reader's own number among readers. */
    int readersBelow(int client) {
        return client * readers / streams();
    }

    /** A worker's order. */
    @Override
    public String toString() {
        return String.join(
                " ",
                "mix",
                source,
                target,
                Integer.toString(readers),
                Integer.toString(writers),
                Integer.toString(files),
                Long.toString(fileBytes),
                Integer.toString(seconds));
    }
}
