package io.tatami.server.status;

import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.status.StatusReport.ServerState;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A status report that fits one screen, however large the cluster is: first what is wrong and what to do, then the
 * numbers, then the servers, of many only those that are not well.
 */
public final class StatusScreen {
    private static final int PROBLEMS_MAX = 6;

    /** Of one table, where it has more rows only those that are not well are shown. */
    private static final int ROWS_MAX = 6;

    private static final int BAD_ROWS_MAX = 4;
    private static final double PERCENT = 100;

    private final PrintWriter out;

    public StatusScreen(PrintWriter out) {
        this.out = out;
    }

    public void print(StatusReport report) {
        printProblems(report);
        printSums(report);
        CopiesText.summary(report.copies()).forEach(out::println);
        CopiesText.beyondServers(report).forEach(out::println);
        printMetadata(report.metadata());
        printServers(report.servers());
        out.printf("%n'tatami status --all' shows every group, server and volume; '--racks' the servers by rack%n");
        out.flush();
    }

    /** The same beginning, and the servers by rack. */
    public void printRacks(StatusReport report) {
        printProblems(report);
        out.println();
        new RackText(report.cluster().map().getBlockServerList()).print(out);
        out.flush();
    }

    /** What is wrong, and what to do; in a line, where all is well. */
    public void printProblems(StatusReport report) {
        List<Problem> problems = report.problems();
        if (problems.isEmpty()) {
            out.println("all is well");
            return;
        }
        long failures = problems.stream().filter(Problem::isFailure).count();
        out.printf("%d problems%s%n", problems.size(), failures == 0 ? ", none of which stops the cluster" : "");
        int number = 0;
        for (Problem problem : problems.subList(0, Math.min(problems.size(), PROBLEMS_MAX))) {
            number++;
            List<String> lines = problem.lines();
            out.printf("%d. %s%n", number, lines.get(0));
            lines.subList(1, lines.size()).forEach(out::println);
        }
        if (problems.size() > PROBLEMS_MAX) {
            out.printf("and %d more: tatami status --json%n", problems.size() - PROBLEMS_MAX);
        }
    }

    private void printSums(StatusReport report) {
        long capacity = report.cluster().capacityBytes();
        long used = report.cluster().usedBytes();
        out.printf(
                Locale.ROOT,
                "%ncapacity         %s, used %s (%.0f %%), free %s%n",
                HumanBytes.ofBytes(capacity),
                HumanBytes.ofBytes(used),
                capacity == 0 ? 0 : used * PERCENT / capacity,
                HumanBytes.ofBytes(report.cluster().freeBytes()));
        List<GroupStatusReply> groups = report.copies().groups();
        out.printf(
                "content          %d files, %d directories, %d blocks; %d files being written%n",
                groups.stream().mapToLong(GroupStatusReply::getFiles).sum(),
                groups.stream().mapToLong(GroupStatusReply::getDirectories).sum(),
                groups.stream().mapToLong(GroupStatusReply::getBlocks).sum(),
                groups.stream().mapToLong(GroupStatusReply::getLeases).sum());
        out.printf(
                "metadata groups  %d of %d answer%n",
                groups.size(), report.cluster().groups().size());
        out.printf("metadata servers %s%n", counts(report.metadata(), MetadataServersText::state));
        out.printf(
                "block servers    %s; %d of %d volumes serve%n",
                counts(present(report.servers()), server -> state(server.info())),
                report.servers().stream()
                        .flatMap(server -> server.volumes().stream())
                        .filter(StatusReport.VolumeState::isWell)
                        .count(),
                report.servers().stream()
                        .mapToLong(server -> server.volumes().size())
                        .sum());
    }

    private static List<ServerState> present(List<ServerState> servers) {
        return servers.stream()
                .filter(server -> server.info().getState() != State.GONE)
                .toList();
    }

    /** A drain that has ended is told, not the state behind it. */
    private static String state(BlockServerInfo server) {
        return server.getDrained() ? "drained" : server.getState().name().toLowerCase(Locale.ROOT);
    }

    /** How many there are of each state: {@code 297 active, 3 dead}. */
    private static <T> String counts(List<T> all, Function<T, String> state) {
        Map<String, Long> counts =
                all.stream().collect(Collectors.groupingBy(state, TreeMap::new, Collectors.counting()));
        return counts.isEmpty()
                ? "none is known"
                : counts.entrySet().stream()
                        .map(count -> count.getValue() + " " + count.getKey())
                        .collect(Collectors.joining(", "));
    }

    private void printMetadata(List<MetadataServerInfo> servers) {
        if (servers.isEmpty()) {
            return;
        }
        out.printf("%n%-28s %6s %6s  %s%n", "metadata server", "holds", "leads", "state");
        printRows(
                servers,
                MetadataServersText::isWell,
                server -> out.printf(
                        "%-28s %6d %6d  %s%n",
                        MetadataServersText.address(server),
                        server.getHeldGroupCount(),
                        server.getLedGroupCount(),
                        MetadataServersText.isWell(server)
                                ? MetadataServersText.state(server)
                                : "not well: see above"));
    }

    private void printServers(List<ServerState> all) {
        List<ServerState> servers = present(all);
        out.printf("%n%5s %-28s %-11s %10s %10s  %s%n", "id", "block server", "state", "capacity", "free", "volumes");
        printRows(
                servers,
                StatusScreen::isQuiet,
                server -> out.printf(
                        "%5d %-28s %-11s %10s %10s  %s%n",
                        server.info().getServerId(),
                        server.info().getData().getHost() + ":"
                                + server.info().getData().getPort(),
                        state(server.info()),
                        HumanBytes.ofBytes(server.info().getCapacityBytes()),
                        HumanBytes.ofBytes(server.info().getFreeBytes()),
                        volumes(server)));
    }

    /** Whether there is nothing to say of a server. */
    private static boolean isQuiet(ServerState server) {
        return server.isWell()
                && server.info().getState() == State.ACTIVE
                && server.volumes().stream().allMatch(volume -> volume.text().equals("serves"));
    }

    private static String volumes(ServerState server) {
        if (server.status() == null) {
            return server.failure().isEmpty() ? "-" : "does not answer";
        }
        return server.volumes().stream()
                .collect(Collectors.groupingBy(StatusScreen::inAWord, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
    }

    private static String inAWord(StatusReport.VolumeState volume) {
        if (!volume.isWell()) {
            return volume.status().getFailure().isEmpty() ? "damaged" : "stopped";
        }
        if (volume.status().getDraining()) {
            return volume.status().getBlocks() == 0 ? "drained" : "draining";
        }
        if (!volume.slowness().isEmpty()) {
            return "slow";
        }
        return volume.status().getDamagedChunks() > 0 ? "with damaged chunks" : "serving";
    }

    /** All, where they are few; else those that are not well, as far as there is room. */
    private <T> void printRows(List<T> all, Predicate<T> isWell, Consumer<T> row) {
        if (all.size() <= ROWS_MAX) {
            all.forEach(row);
            return;
        }
        List<T> bad = all.stream().filter(isWell.negate()).toList();
        bad.stream().limit(BAD_ROWS_MAX).forEach(row);
        long more = Math.max(0, bad.size() - BAD_ROWS_MAX);
        String unwell = more == 0 ? "" : more + " more that are not well, and ";
        out.printf("%s%d that are well%n", unwell, all.size() - bad.size());
    }
}
