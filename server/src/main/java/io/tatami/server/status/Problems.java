package io.tatami.server.status;

import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.status.StatusReport.ServerState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What is wrong with a cluster, the worst first, each kind once. */
final class Problems {
    /** Of all room; below that a cluster is called almost full. */
    private static final int FREE_PERCENT_MIN = 10;

    private static final int PERCENT = 100;

    private final StatusReport report;
    private final List<Problem> failures = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();

    private Problems(StatusReport report) {
        this.report = report;
    }

    static List<Problem> of(StatusReport report) {
        Problems problems = new Problems(report);
        problems.addGroups();
        problems.addMetadataServers();
        problems.addBlockServers();
        new VolumeProblems(report, problems).add();
        problems.addCopies();
        problems.addCluster();
        List<Problem> all = new ArrayList<>(problems.failures);
        all.addAll(problems.warnings);
        return all;
    }

    /** Where it has any subject, as {@link #warn}. */
    void fail(String what, List<String> subjects, String remedy) {
        if (!subjects.isEmpty()) {
            failures.add(new Problem(true, what, subjects, remedy));
        }
    }

    void warn(String what, List<String> subjects, String remedy) {
        if (!subjects.isEmpty()) {
            warnings.add(new Problem(false, what, subjects, remedy));
        }
    }

    private void addGroups() {
        fail(
                "metadata groups do not answer",
                report.cluster().groups().stream()
                        .filter(group -> group.status() == null)
                        .map(Problems::text)
                        .toList(),
                "see that the metadata servers that hold them run: tatami admin metadata status; start one that does not"
                        + " by tatami start metadata --data DIR");
    }

    private static String text(GroupState group) {
        return group.group() + (group.address().isEmpty() ? " (has no leader)" : " (" + group.address() + ")");
    }

    private void addMetadataServers() {
        fail(
                "metadata servers do not answer",
                metadata(server -> !server.getAnswers()),
                "start each again on its host: tatami start metadata --data DIR; take a lost one out: tatami admin"
                        + " metadata remove SERVER");
        fail(
                "replicas of metadata groups have stopped",
                report.metadata().stream()
                        .filter(server -> server.getAnswers() && server.getStoppedCount() > 0)
                        .map(Problems::withTrouble)
                        .toList(),
                "mend the disk of the server, then start it again: tatami stop --data DIR, tatami start metadata --data"
                        + " DIR");
        fail(
                "disks of metadata servers are almost full",
                metadata(server -> server.getAnswers() && server.getLowSpace()),
                "make room on the disk that holds the server's DIR (df DIR): soon it takes no writes");
        fail(
                "system clocks of metadata servers are ahead and not followed",
                report.metadata().stream()
                        .filter(server -> server.getAnswers() && server.getClockAheadSeconds() > 0)
                        .map(server ->
                                MetadataServersText.address(server) + " by " + server.getClockAheadSeconds() + " s")
                        .toList(),
                "correct the clock of that host (chronyc tracking), or confirm it by a restart of the server");
    }

    private static String withTrouble(MetadataServerInfo server) {
        return MetadataServersText.address(server) + " (" + MetadataServersText.trouble(server) + ")";
    }

    private List<String> metadata(Predicate<MetadataServerInfo> isMeant) {
        return report.metadata().stream()
                .filter(isMeant)
                .map(MetadataServersText::address)
                .toList();
    }

    private void addBlockServers() {
        fail(
                "block servers are dead",
                servers(server -> server.info().getState() == State.DEAD),
                "start each again on its host: tatami start block --data DIR …; give a lost one up: tatami admin block"
                        + " give-up SERVER");
        fail(
                "block servers do not answer",
                report.servers().stream()
                        .filter(server -> server.info().getState() != State.DEAD
                                && !server.failure().isEmpty())
                        .map(server -> name(server.info()) + " (" + server.failure() + ")")
                        .toList(),
                "see the load of the host and DIR/logs there; start one that hangs again: tatami stop --data DIR, tatami"
                        + " start block --data DIR …");
        warn(
                "block servers are silent, and get no new blocks",
                servers(server -> server.info().getState() == State.STALE
                        && server.failure().isEmpty()),
                "see the load of the host, its network and DIR/logs there; they are dead if that goes on");
    }

    private List<String> servers(Predicate<ServerState> isMeant) {
        return report.servers().stream()
                .filter(isMeant)
                .map(server -> name(server.info()))
                .toList();
    }

    private static String name(BlockServerInfo server) {
        return server.getServerId() + " at " + server.getData().getHost() + ":"
                + server.getData().getPort();
    }

    private void addCopies() {
        CopiesState copies = report.copies();
        BlockHealthCounts health = copies.health();
        long unreadable = health.getDamaged() + health.getMissing() + health.getUnknown();
        if (unreadable > 0) {
            warnings.add(new Problem(
                    false,
                    unreadable + " blocks cannot be read: no good copy is on a server that answers",
                    List.of(),
                    "start the servers that have them; list the files: tatami fsck --corrupt"));
        }
        if (copies.lastCopyBlocks() > 0) {
            warnings.add(new Problem(
                    false,
                    copies.lastCopyBlocks() + " blocks have one good copy left, and are copied first",
                    List.of(),
                    "keep the servers running until this is 0; list the files: tatami fsck --under"));
        }
        if (!copies.brake().isEmpty()) {
            warnings.add(
                    new Problem(
                            false,
                            "no copies are made: " + copies.brake(),
                            List.of(),
                            "bring the silent servers back; or have copies made all the same: tatami admin block release-brake"));
        }
    }

    private void addCluster() {
        if (report.cluster().map().getSafeMode()) {
            warnings.add(new Problem(
                    false,
                    "the cluster is in safe mode: nothing can be written",
                    List.of(),
                    "an administrator switched it on; leave it: tatami admin safemode leave"));
        }
        long capacity = report.cluster().capacityBytes();
        if (capacity > 0 && report.cluster().freeBytes() < capacity / PERCENT * FREE_PERCENT_MIN) {
            warnings.add(new Problem(
                    false,
                    "less than " + FREE_PERCENT_MIN + " % of the room is free",
                    List.of(),
                    "add volumes (tatami admin volume add SERVER PATH) or block servers (tatami start block); or delete"
                            + " files: tatami du /"));
        }
    }
}
