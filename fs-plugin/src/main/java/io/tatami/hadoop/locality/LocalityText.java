package io.tatami.hadoop.locality;

import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.hadoop.locality.MapReduceHistory.Attempt;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** An answer in the words of an operator. */
public final class LocalityText {
    private static final int HEX = 16;

    private final PrintWriter out;

    public LocalityText(PrintWriter out) {
        this.out = out;
    }

    public void print(LocalityAnswer answer) {
        ReadStatisticsReport counted = answer.counted();
        LocalityReport report = answer.report();
        out.printf(
                "%s: reads of the last day, as %d block servers counted them, of %s%n",
                answer.subject(), counted.servers().size(), counted.ofAllUsers() ? "all users" : "this user alone");
        row("local", report.of(Distance.HOST));
        row("rack", report.of(Distance.RACK));
        row("remote", report.of(Distance.OTHER_RACK));
        if (report.of(Distance.UNKNOWN_DISTANCE).streams() > 0) {
            row("not told", report.of(Distance.UNKNOWN_DISTANCE));
        }
        out.printf("  %-10s %10s of these from the cache tier%n", "cached", bytes(report.cachedBytes()));
        out.println("why:");
        report.reasons()
                .forEach((reason, sum) ->
                        out.printf("  %10s in %s: %s%n", bytes(sum.bytes()), streams(sum.streams()), words(reason)));
        if (report.reasons().isEmpty()) {
            out.println("  nothing was counted: " + advice(answer.subject()));
        }
        if (!report.remote().isEmpty()) {
            out.println("largest reads from other hosts:");
            answer.largest().forEach(read -> remote(read, answer.path(read)));
        }
        if (report.others().streams() > 0) {
            out.printf(
                    "servers could not keep %s in %s apart, of whatever job or file%n",
                    bytes(report.others().bytes()), streams(report.others().streams()));
        }
        counted.silent()
                .forEach((server, failure) ->
                        out.printf("no answer from %s: %s%n", server(server), failure.getMessage()));
        print(answer.tasks());
        if (!answer.isWhole()) {
            out.println("only the first " + LocalityQuestion.FILES_MAX + " files below it are counted");
        }
        out.flush();
    }

    private static String advice(String subject) {
        return subject.startsWith("app-") || subject.startsWith("local-")
                ? "Spark names its tasks only where hadoop.caller.context.enabled is true in core-site.xml"
                : "no block was read in the last day, or the servers that counted it were started again";
    }

    private void row(String name, LocalityReport.Sum sum) {
        out.printf("  %-10s %10s in %s%n", name, bytes(sum.bytes()), streams(sum.streams()));
    }

    private void remote(LocalityReport.Read read, String path) {
        long file = read.item().getFileId();
        String context = read.context();
        out.printf(
                "  %10s of %s, %son %s, from %s: %s%n",
                bytes(read.bytes()),
                file == 0 ? "no file" : path.isEmpty() ? "file " + Long.toString(file, HEX) : path,
                context.isEmpty() ? "" : "by " + printable(context) + " ",
                read.item().getClientHost().isEmpty()
                        ? "a host that is not told"
                        : printable(read.item().getClientHost()),
                server(read.server()),
                words(read.item().getReason()));
    }

    /** What others have named themselves, without what would move a terminal's cursor. */
    private static String printable(String told) {
        return told.codePoints()
                .map(point -> Character.isISOControl(point) ? '?' : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private void print(LocalityAnswer.Tasks tasks) {
        if (tasks.remote().isEmpty()) {
            return;
        }
        if (tasks.history().isEmpty()) {
            out.println("no history file of the job is found; name one by --history to see where its splits were");
            return;
        }
        out.println("task attempts with reads from other hosts:");
        tasks.remote().forEach((id, reads) -> {
            Attempt attempt = tasks.attempts().get(id);
            out.printf("  %s: %s%n", id, attempt == null ? "not in the history file" : explain(attempt, reads));
        });
    }

    /** Why an attempt read from other hosts: its place, and of one at the right place what its reader met there. */
    static String explain(Attempt attempt, List<LocalityReport.Read> reads) {
        String on = attempt.host().isEmpty() ? "on an unknown host" : "on " + attempt.host();
        String why = reasons(reads);
        if (attempt.splitHosts().isEmpty()) {
            return on + ", has no split with hosts; " + why;
        }
        String hosts = String.join(", ", attempt.splitHosts());
        return attempt.isOnSplitHost()
                ? on + ", a host of its split (" + hosts + "), but read remotely; " + why
                : on + ", scheduled off its split's hosts (" + hosts + "); " + why;
    }

    private static String reasons(List<LocalityReport.Read> reads) {
        return LocalityReport.reasonsOf(reads).entrySet().stream()
                .map(entry -> bytes(entry.getValue().bytes()) + ": " + words(entry.getKey()))
                .collect(Collectors.joining("; "));
    }

    static String words(Reason reason) {
        return switch (reason) {
            case UNKNOWN_REASON, UNRECOGNIZED -> "the reader did not tell why";
            case LOCAL -> "from the reader's host";
            case NO_SERVER_ON_HOST -> "no block server on the reader's host";
            case NO_LOCAL_COPY -> "no copy on the reader's host";
            case LOCAL_DEAD -> "the server with the local copy was dead or not reached";
            case LOCAL_LEAVING -> "the server with the local copy was being drained";
            case LOCAL_SLOW -> "the local copy was slow";
            case LOCAL_DAMAGED -> "the local copy was damaged";
            case LOCAL_FAILED -> "reading the local copy failed";
        };
    }

    private static String server(BlockServerInfo server) {
        return "block server " + server.getServerId() + " on " + server.getHost();
    }

    private static String streams(long streams) {
        return streams == 1 ? "1 stream" : streams + " streams";
    }

    private static String bytes(long bytes) {
        return TraditionalBinaryPrefix.long2String(bytes, "B", 1);
    }
}
