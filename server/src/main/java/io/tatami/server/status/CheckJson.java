package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.Json;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedCopy;
import io.tatami.protocol.wire.CheckedFile;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A check of the file system as JSON, an object a line: problems and listed files as they are found, then the sums. */
public record CheckJson(PrintWriter out) {
    /** @param progress is told how far the check is */
    public FsckReport.Listener listener(CheckText.Progress progress) {
        return new FsckReport.Listener() {
            @Override
            public void found(FsckReport.Problem problem) {
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("path", problem.path().toString());
                json.put("problem", problem.finding().getProblem());
                if (problem.finding().getBlockId() != 0) {
                    json.put("block", new BlockId(problem.finding().getBlockId()).toString());
                }
                out.println(Json.text(json));
            }

            @Override
            public void listed(TatamiPath path, CheckedFile file) {
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("path", path.toString());
                json.put("length_bytes", file.getLength());
                json.put("replication", file.getReplication());
                json.put("open", file.getOpen());
                json.put("inline_copies", file.getInlineCopies());
                json.put(
                        "blocks",
                        file.getBlockList().stream().map(CheckJson::block).toList());
                out.println(Json.text(json));
            }

            @Override
            public void checked(FsckReport soFar) {
                progress.checked(soFar);
            }
        };
    }

    private static Map<String, Object> block(CheckedBlock block) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", new BlockId(block.getBlockId()).toString());
        json.put("index", block.getIndex());
        json.put("length_bytes", block.getLength());
        json.put("health", block.getHealth().name().toLowerCase(Locale.ROOT));
        List<Map<String, Object>> copies =
                block.getCopyList().stream().map(CheckJson::copy).toList();
        json.put("copies", copies);
        return json;
    }

    private static Map<String, Object> copy(CheckedCopy copy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("server", copy.getServerId());
        json.put("kind", copy.getKind().name().toLowerCase(Locale.ROOT));
        json.put("problem", copy.getProblem().name().toLowerCase(Locale.ROOT));
        return json;
    }

    public void printTotals(FsckReport report) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("files", report.files());
        json.put("directories", report.directories());
        json.put("length_bytes", report.bytes());
        json.put("blocks", report.blocks());
        json.put("open_files", report.openFiles());
        json.put("problems", report.problems());
        json.put("health", Json.fields(report.health()));
        out.println(Json.text(json));
    }
}
