package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.Json;
import io.tatami.client.model.LocatedBlock.Holder;
import io.tatami.client.model.PathStatus;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.Handle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What is known of one path, as one JSON object; sizes are in bytes, and names say so. */
final class PathJson {
    private PathJson() {}

    static String of(PathReport report) {
        PathStatus status = report.status();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("path", status.path().toString());
        json.put("kind", status.wire().getKind().name().toLowerCase(Locale.ROOT));
        json.put("id", status.id());
        json.put("owner", status.owner());
        json.put("group", status.group());
        json.put("mode", String.format(Locale.ROOT, "%04o", status.mode()));
        json.put("modified_millis", status.modifiedMillis());
        json.put("accessed_millis", status.accessedMillis());
        if (status.isSymlink()) {
            json.put("target", status.symlinkTarget());
        }
        Handle handle = report.handle();
        if (handle != null) {
            json.put("handle", handle(handle));
        }
        if (status.isFile()) {
            addFile(report, json);
        }
        return Json.text(json);
    }

    private static Map<String, Object> handle(Handle handle) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("directory_id", handle.getDirectoryId());
        json.put("ancestor_ids", handle.getAncestorIdList());
        json.put("version", handle.getVersion());
        json.put("expires_millis", handle.getExpiresMillis());
        json.put("spread", Math.max(1, handle.getSpread()));
        return json;
    }

    private static void addFile(PathReport report, Map<String, Object> json) {
        PathStatus file = report.status();
        json.put("length_bytes", file.lengthBytes());
        json.put("replication", file.replication());
        json.put("block_size_bytes", file.blockSizeBytes());
        json.put("content_version", file.wire().getContentVersion());
        json.put("home", new FileId(file.id()).home().toString());
        json.put("inline", file.isInline());
        json.put("open", file.isOpen());
        if (report.lease() != null) {
            json.put("lease", LeaseText.json(report.lease()));
        }
        FileChecksum checksum = report.checksum().value();
        if (checksum == null) {
            json.put("checksum_failure", report.checksum().failure());
        } else {
            json.put("crc32c", String.format(Locale.ROOT, "%08x", checksum.crc32c()));
            json.put("checksum_length_bytes", checksum.lengthBytes());
        }
        json.put("problems", report.problems());
        List<Object> blocks = new ArrayList<>();
        for (int i = 0; !file.isInline() && i < file.wire().getBlockCount(); i++) {
            blocks.add(block(report, i));
        }
        json.put("blocks", blocks);
    }

    private static Map<String, Object> block(PathReport report, int index) {
        BlockLocation block = report.status().wire().getBlock(index);
        CheckedBlock checked = report.checked().get(block.getBlockId());
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", new BlockId(block.getBlockId()).toString());
        json.put("generation", block.getGeneration());
        json.put("offset", block.getOffset());
        json.put("length_bytes", block.getLength());
        json.put("being_written", block.getOpen());
        Set<ServerId> staged = report.staged().getOrDefault(new BlockId(block.getBlockId()), Set.of());
        List<Object> copies = new ArrayList<>();
        if (checked == null) {
            for (Holder holder : report.status().blocks().get(index).holders()) {
                copies.add(copy(report, holder.server().value(), holder.bad() ? "bad" : "", staged));
            }
        } else {
            json.put("health", checked.getHealth().name().toLowerCase(Locale.ROOT));
            for (CheckedCopy copy : checked.getCopyList()) {
                boolean isGood = copy.getProblem() == CheckedCopy.Problem.NONE;
                String problem = isGood ? "" : copy.getProblem().name().toLowerCase(Locale.ROOT);
                Map<String, Object> fields = copy(report, copy.getServerId(), problem, staged);
                fields.put("kind", copy.getKind().name().toLowerCase(Locale.ROOT));
                copies.add(fields);
            }
        }
        json.put("copies", copies);
        return json;
    }

    private static Map<String, Object> copy(PathReport report, int id, String problem, Set<ServerId> staged) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("server", id);
        BlockServerInfo server = report.servers().get(id);
        if (server != null) {
            json.put(
                    "address",
                    server.getData().getHost() + ":" + server.getData().getPort());
            json.put("rack", server.getRack());
            json.put("state", server.getState().name().toLowerCase(Locale.ROOT));
        }
        json.put("problem", problem);
        json.put("staged", staged.contains(new ServerId(id)));
        return json;
    }
}
