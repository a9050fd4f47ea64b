package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A check of the file system for people to read, and lists of paths for programs. */
public final class CheckText {
    private final PrintWriter out;
    private final Map<Integer, BlockServerInfo> servers = new HashMap<>();
    private final Detail detail;

    /** @param map by which servers are named */
    public CheckText(PrintWriter out, ClusterMap map, Detail detail) {
        this.out = out;
        this.detail = detail;
        map.getBlockServerList().forEach(server -> servers.put(server.getServerId(), server));
    }

    /** What is told of the copies of a block. */
    public record Detail(boolean locations, boolean racks) {
        public Detail withLocations() {
            return new Detail(true, racks);
        }
    }

    /** Says every so often how far a check is. Used by one thread. */
    public static final class Progress {
        static final Duration EVERY = Duration.ofSeconds(10);

        private final PrintWriter err;
        private final Clock clock;
        private long toldNanos;

        public Progress(PrintWriter err, Clock clock) {
            this.err = err;
            this.clock = clock;
            this.toldNanos = clock.monotonicNanos();
        }

        void checked(FsckReport soFar) {
            if (clock.monotonicNanos() - toldNanos >= EVERY.toNanos()) {
                toldNanos = clock.monotonicNanos();
                err.printf(
                        "tatami: checked %d directories, %d files, %d blocks; %d problems%n",
                        soFar.directories(), soFar.files(), soFar.blocks(), soFar.problems());
                err.flush();
            }
        }
    }

    /** @param onlyPaths prints the paths of listed files, each once, and nothing else */
    public FsckReport.Listener listener(boolean onlyPaths, Progress progress) {
        return new FsckReport.Listener() {
            /** By the shard that tells its parts one after the other. */
            private final Map<GroupId, Long> lastFile = new HashMap<>();

            @Override
            public void found(FsckReport.Problem problem) {
                if (!onlyPaths) {
                    print(problem.path().toString(), problem.finding());
                }
            }

            @Override
            public void listed(TatamiPath path, CheckedFile file) {
                Long before = lastFile.put(new FileId(file.getFileId()).home(), file.getFileId());
                boolean isFirst = before == null || before != file.getFileId();
                if (!onlyPaths) {
                    print(path.toString(), file, isFirst);
                } else if (isFirst) {
                    out.println(path);
                }
            }

            @Override
            public void checked(FsckReport soFar) {
                progress.checked(soFar);
            }
        };
    }

    private void print(String path, Finding finding) {
        out.println(path + ": " + finding.getProblem()
                + (finding.getBlockId() == 0 ? "" : " (block " + Long.toHexString(finding.getBlockId()) + ")"));
    }

    /** The file of one block. */
    public void printBlock(FsckReply reply) {
        for (CheckedFile file : reply.getFileList()) {
            String path = file.getPath().isEmpty() ? file.getName() + " in a directory that is gone" : file.getPath();
            print(path, file, true);
            reply.getFindingList().forEach(finding -> print(path, finding));
        }
    }

    /** @param withHead not a further part of the file */
    private void print(String path, CheckedFile file, boolean withHead) {
        if (withHead) {
            String stored = file.getInlineCopies() > 0
                    ? "inline on " + file.getInlineCopies() + " metadata servers"
                    : file.getBlocks() + " blocks";
            out.printf(
                    "%s: %d bytes, asks for %d copies, %s%s%n",
                    path, file.getLength(), file.getReplication(), stored, file.getOpen() ? ", open for writing" : "");
        }
        file.getBlockList().forEach(this::print);
    }

    private void print(CheckedBlock block) {
        long counted = block.getCopyList().stream()
                .filter(copy -> copy.getKind() == CheckedCopy.Kind.COUNTED)
                .count();
        out.printf(
                "  %d. %s length %d, %d copies, %s%n",
                block.getIndex(), new BlockId(block.getBlockId()), block.getLength(), counted, text(block.getHealth()));
        if (detail.locations()) {
            for (CheckedCopy copy : block.getCopyList()) {
                out.println("     " + text(copy));
            }
        }
    }

    private String text(CheckedCopy copy) {
        BlockServerInfo server = servers.get(copy.getServerId());
        String where = "server " + copy.getServerId();
        if (server != null) {
            where += " " + server.getData().getHost() + ":" + server.getData().getPort();
            where += detail.racks() ? " " + server.getRack() : "";
            where += " (" + server.getState().name().toLowerCase(Locale.ROOT) + ")";
        }
        return where + text(copy.getKind()) + text(copy.getProblem());
    }

    static String text(CheckedCopy.Kind kind) {
        return switch (kind) {
            case COUNTED, UNRECOGNIZED -> "";
            case INTENDED -> ", is being made";
            case SPARE -> ", spare";
        };
    }

    static String text(CheckedCopy.Problem problem) {
        return switch (problem) {
            case NONE, UNRECOGNIZED -> "";
            case MISSING -> ", missing";
            case DAMAGED -> ", damaged";
            case UNAVAILABLE -> ", unavailable";
        };
    }

    static String text(CheckedBlock.Health health) {
        return switch (health) {
            case HEALTHY -> "healthy";
            case UNDER_REPLICATED -> "under-replicated";
            case OVER_REPLICATED -> "over-replicated";
            case MISREPLICATED -> "mis-replicated";
            case DAMAGED -> "damaged";
            case MISSING -> "missing";
            case UNKNOWN -> "unknown";
            case OPEN -> "being written";
            case UNRECOGNIZED -> "in a state that this program does not know";
        };
    }

    /** Of what is on them, or was, nothing is known: files elsewhere are none the worse. */
    public void printVolumesThatDoNotServe(StatusReport status) {
        for (StatusReport.ServerState server : status.servers()) {
            for (StatusReport.VolumeState volume : server.volumes()) {
                if (!volume.status().getFailure().isEmpty()) {
                    out.printf(
                            "block server %d: volume %s does not serve: %s%n",
                            server.info().getServerId(),
                            volume.status().getPath(),
                            volume.status().getFailure());
                }
            }
        }
    }

    public void printTotals(FsckReport report) {
        FsckReply counts = report.counts();
        out.println("blocks: " + HealthText.states(report.health()));
        HealthText.notes(report.health()).forEach(out::println);
        if (counts.getInlineFiles() > 0) {
            out.println(counts.getInlineFiles() + " files stored inline" + fewer(counts));
        }
        if (counts.getChangingDirectories() > 0) {
            out.println(counts.getChangingDirectories()
                    + " directories changed while they were checked: their sums were not compared");
        }
        BlockHealthCounts health = report.health();
        if (health.getUnderReplicated() > 0) {
            out.printf(
                    "%d blocks under-replicated, %d copies missing%n",
                    health.getUnderReplicated(), health.getCopiesLacking());
        }
        out.printf(
                "%d files, %d directories, %d blocks, %s; %d open for writing; %d problems%n",
                report.files(),
                report.directories(),
                report.blocks(),
                HumanBytes.ofBytes(report.bytes()),
                report.openFiles(),
                report.problems());
    }

    private static String fewer(FsckReply counts) {
        return counts.getInlineFilesWithFewerCopies() == 0
                ? ""
                : ", " + counts.getInlineFilesWithFewerCopies()
                        + " of which ask for more copies than their metadata group has replicas";
    }
}
