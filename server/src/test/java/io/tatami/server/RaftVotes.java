package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The last terms and votes of servers in each of their groups, as Ratis keeps them in {@code raft-meta}.
 *
 * @param groups of each group, what the servers have
 */
record RaftVotes(Map<String, List<Vote>> groups) {
    private static final String FILE_NAME = "raft-meta";
    private static final int MAJORITY = 2;

    record Vote(long term, String votedFor) {
        /** Whether this server may not have voted in that term for another. */
        boolean keeps(Vote earlier) {
            return term > earlier.term() || equals(earlier);
        }
    }

    /** What the servers with these directories have now. */
    static RaftVotes in(List<Path> servers) throws IOException {
        Map<String, List<Vote>> groups = new TreeMap<>();
        for (Path server : servers) {
            try (Stream<Path> logs = Files.list(server.resolve("meta").resolve("raft"))) {
                for (Path log : logs.sorted().toList()) {
                    Path file = log.resolve("current").resolve(FILE_NAME);
                    if (Files.exists(file)) {
                        groups.computeIfAbsent(log.getFileName().toString(), fresh -> new ArrayList<>())
                                .add(read(file));
                    }
                }
            }
        }
        return new RaftVotes(groups);
    }

    private static Vote read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        return new Vote(Long.parseLong(properties.getProperty("term", "0")), properties.getProperty("votedFor", ""));
    }

    /**
     * Whoever was elected by these has the votes of a majority still, or there is a majority in a later term.
     *
     * @param later after entries were acknowledged and power was lost
     */
    void requireKept(RaftVotes later) {
        groups.forEach((group, votes) -> {
            for (Vote vote : votes) {
                if (count(votes, vote) >= MAJORITY) {
                    List<Vote> there = later.groups().getOrDefault(group, List.of());
                    long kept = there.stream().filter(now -> now.keeps(vote)).count();
                    assertTrue(kept >= MAJORITY, () -> group + " had " + votes + ", and has " + there);
                }
            }
        });
    }

    private static long count(List<Vote> votes, Vote vote) {
        return votes.stream().filter(vote::equals).count();
    }
}
