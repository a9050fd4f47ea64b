package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.StuckBlock;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The state of copies for people and for programs to read. */
final class CopiesText {
    private static final int HEX = 16;

    private CopiesText() {}

    static void print(StatusReport report, PrintWriter out) {
        CopiesState copies = report.copies();
        if (copies.isQuiet()) {
            return;
        }
        out.printf(
                "%ncopies: %d blocks wait with one good copy left, %d with fewer than asked for, %d to be judged%n",
                copies.lastCopyBlocks(), copies.tooFewBlocks(), copies.unjudgedBlocks());
        if (copies.isJudged()) {
            BlockHealthCounts health = copies.health();
            out.println("blocks that wait: " + HealthText.states(health));
            HealthText.notes(health).forEach(out::println);
            out.printf(
                    Locale.ROOT,
                    "%d copies (%s) are being made; %.1f a second, %s/s; all are made in %s%n",
                    copies.intendedCopies(),
                    HumanBytes.ofBytes(copies.intendedBytes()),
                    copies.copiesPerSecond(),
                    HumanBytes.ofBytes((long) copies.bytesPerSecond()),
                    timeToHeal(copies));
        }
        if (copies.filesOfOneCopy() > 0) {
            out.printf("%d files ask for one copy, and have no other%n", copies.filesOfOneCopy());
        }
        long dead = dead(report);
        if (dead > 0) {
            out.printf(
                    "%d block servers are dead: what only they have waits from then on that they count as lost;"
                            + " 'tatami fsck' counts it now%n",
                    dead);
        }
        if (copies.balance().isUnderWay()) {
            copies.balance().lines().forEach(out::println);
        }
        if (!copies.brake().isEmpty()) {
            out.println("copying is braked: " + copies.brake());
        }
        for (StuckBlock stuck : copies.stuck()) {
            out.println(new BlockId(stuck.getBlockId()) + " waits: " + stuck.getReason());
        }
    }

    /** What waits and how fast it is made, for a screen that has other lines too; no line where nothing waits. */
    static List<String> summary(CopiesState copies) {
        if (copies.isQuiet()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "copies           %d blocks wait with one good copy left, %d with too few, %d to be judged",
                copies.lastCopyBlocks(),
                copies.tooFewBlocks(),
                copies.unjudgedBlocks()));
        if (copies.isJudged()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "                 %d (%s) are being made, %s/s; all are made in %s; %d cannot go on",
                    copies.intendedCopies(),
                    HumanBytes.ofBytes(copies.intendedBytes()),
                    HumanBytes.ofBytes((long) copies.bytesPerSecond()),
                    timeToHeal(copies),
                    copies.stuck().size()));
        }
        if (copies.balance().isUnderWay()) {
            lines.add(copies.balance().lines().get(0));
        }
        return lines;
    }

    private static long dead(StatusReport report) {
        return report.cluster().map().getBlockServerList().stream()
                .filter(server -> server.getState() == BlockServerInfo.State.DEAD)
                .count();
    }

    private static String timeToHeal(CopiesState copies) {
        return copies.timeToHeal()
                .map(time -> time.isZero() ? "0 s" : "about " + text(time))
                .orElse("an unknown time");
    }

    private static String text(Duration time) {
        return time.toHours() > 0
                ? time.toHours() + " h " + time.toMinutesPart() + " min"
                : time.toMinutes() > 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
    }

    /** Under the names in JSON. */
    static Map<String, Object> json(CopiesState copies) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("waiting_with_one_copy_left", copies.lastCopyBlocks());
        json.put("waiting_with_too_few", copies.tooFewBlocks());
        json.put("waiting_unjudged", copies.unjudgedBlocks());
        json.put("files_of_one_copy", copies.filesOfOneCopy());
        if (copies.isJudged()) {
            json.put("balance", copies.balance().json());
            json.put("waiting_by_health", Json.fields(copies.health()));
            json.put("being_made", copies.intendedCopies());
            json.put("being_made_bytes", copies.intendedBytes());
            json.put("made_per_second", copies.copiesPerSecond());
            json.put("made_bytes_per_second", copies.bytesPerSecond());
            json.put(
                    "seconds_to_heal",
                    copies.timeToHeal().<Object>map(Duration::toSeconds).orElse("unknown"));
            json.put("brake", copies.brake());
            json.put("stuck", copies.stuck().stream().map(CopiesText::stuck).toList());
        }
        return json;
    }

    private static Map<String, Object> stuck(StuckBlock stuck) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("block", Long.toString(stuck.getBlockId(), HEX));
        json.put("file", Long.toString(stuck.getFileId(), HEX));
        json.put("reason", stuck.getReason());
        return json;
    }

    /** Files that ask for more copies than there are block servers; no line where none does. */
    static List<String> beyondServers(StatusReport report) {
        long files = 0;
        int copies = 0;
        for (GroupStatusReply numbers : report.copies().groups()) {
            if (numbers.getFilesBeyondServers() > 0) {
                files += numbers.getFilesBeyondServers();
                copies = Math.max(copies, numbers.getCopiesAskedMax());
            }
        }
        if (files == 0) {
            return List.of();
        }
        long servers = report.cluster().map().getBlockServerList().stream()
                .filter(server -> server.getState() != BlockServerInfo.State.DEAD
                        && server.getState() != BlockServerInfo.State.GONE)
                .count();
        return List.of(files + " files ask for more copies (up to " + copies + ") than the cluster can hold: it has "
                + servers + " block servers, each of which holds one");
    }
}
