package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.LocatedBlock.Holder;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.Handle;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

/** All that is known of one path, for people to read and as JSON. */
public final class PathText {
    private final PathReport report;

    private PathText(PathReport report) {
        this.report = report;
    }

    /** Asks for it. Symlinks are not followed; what only the superuser is told is left out for others. */
    public static PathText of(TatamiClient client, TatamiPath path) throws TatamiException {
        return new PathText(PathReport.of(client, path));
    }

    public String json() {
        return PathJson.of(report);
    }

    public void print(PrintWriter out) {
        PathStatus status = report.status();
        line(out, "path", status.path().toString());
        line(out, "kind", kind(status));
        line(out, "id", (status.isFile() ? new FileId(status.id()).toString() : Long.toString(status.id())));
        if (status.isSymlink()) {
            line(out, "target", status.symlinkTarget());
        }
        line(
                out,
                "owner",
                String.format(Locale.ROOT, "%s:%s, mode %04o", status.owner(), status.group(), status.mode())
                        + (status.acl().isEmpty() ? "" : ", " + status.acl().size() + " ACL entries"));
        line(out, "modified", time(status.modifiedMillis()) + "; accessed " + time(status.accessedMillis()));
        Handle handle = report.handle();
        if (handle != null) {
            line(
                    out,
                    "in directory",
                    handle.getDirectoryId() + ", " + handle.getAncestorIdCount() + " above it; handle of tree version "
                            + handle.getVersion() + ", ends " + time(handle.getExpiresMillis()) + ", spread over "
                            + Math.max(1, handle.getSpread()) + " shards");
        }
        if (status.isDirectory()) {
            line(out, "entries", "on " + Math.max(1, status.wire().getSpread()) + " shards");
        }
        if (status.isFile()) {
            printFile(out);
        }
        out.flush();
    }

    private static void line(PrintWriter out, String name, String value) {
        out.printf("%-13s %s%n", name, value);
    }

    static String time(long millis) {
        return millis == 0 ? "never" : Instant.ofEpochMilli(millis).toString();
    }

    static String kind(PathStatus status) {
        if (status.isDirectory()) {
            return "directory";
        }
        if (status.isSymlink()) {
            return "symlink";
        }
        return status.isInline() ? "file, stored inline with the metadata" : "file";
    }

    private void printFile(PrintWriter out) {
        PathStatus file = report.status();
        line(
                out,
                "length",
                file.lengthBytes() + " (" + HumanBytes.ofBytes(file.lengthBytes()) + "), asks for " + file.replication()
                        + " copies in blocks of " + HumanBytes.ofBytes(file.blockSizeBytes()));
        line(out, "version", Long.toString(file.wire().getContentVersion()));
        line(out, "home", new FileId(file.id()).home().toString());
        line(out, "lease", lease());
        FileChecksum checksum = report.checksum().value();
        line(
                out,
                "checksum",
                checksum == null
                        ? "unknown: " + report.checksum().failure()
                        : String.format(
                                Locale.ROOT, "CRC32C %08x of %d bytes", checksum.crc32c(), checksum.lengthBytes()));
        report.problems().forEach(problem -> line(out, "problem", problem));
        if (!file.isInline()) {
            line(out, "blocks", Integer.toString(file.wire().getBlockCount()));
            for (int i = 0; i < file.wire().getBlockCount(); i++) {
                print(i, out);
            }
        }
    }

    private String lease() {
        if (report.lease() != null) {
            return "held by " + LeaseText.holder(report.lease()) + ", session c"
                    + Long.toUnsignedString(report.lease().getSession()) + "; nothing was committed for "
                    + LeaseText.age(report.lease());
        }
        return report.status().isOpen() ? "open for writing (the superuser is told who writes)" : "none";
    }

    private void print(int index, PrintWriter out) {
        BlockLocation block = report.status().wire().getBlock(index);
        CheckedBlock checked = report.checked().get(block.getBlockId());
        out.printf(
                "%4d. %s generation %d, offset %d, length %d%s%n",
                index,
                new BlockId(block.getBlockId()),
                block.getGeneration(),
                block.getOffset(),
                block.getLength(),
                checked != null
                        ? ", " + CheckText.text(checked.getHealth())
                        : block.getOpen() ? ", being written" : block.getUnreadable() ? ", cannot be read" : "");
        Set<ServerId> staged = report.staged().getOrDefault(new BlockId(block.getBlockId()), Set.of());
        if (checked != null) {
            for (CheckedCopy copy : checked.getCopyList()) {
                out.println("      " + place(copy.getServerId()) + CheckText.text(copy.getKind())
                        + CheckText.text(copy.getProblem())
                        + (staged.contains(new ServerId(copy.getServerId())) ? ", staged" : ""));
            }
            return;
        }
        for (Holder holder : report.status().blocks().get(index).holders()) {
            out.println("      " + place(holder.server().value()) + (holder.bad() ? ", damaged or gone" : "")
                    + (staged.contains(holder.server()) ? ", staged" : ""));
        }
    }

    private String place(int id) {
        BlockServerInfo server = report.servers().get(id);
        return server == null
                ? "server " + id + ", which the cluster does not list"
                : "server " + id + " " + server.getData().getHost() + ":"
                        + server.getData().getPort() + " " + server.getRack() + " ("
                        + server.getState().name().toLowerCase(Locale.ROOT) + ")";
    }
}
