package io.tatami.hadoop.shell;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * What the shell printed, without what must differ between two clusters: addresses, the local directory, and times of
 * this test's run; times that a command set stay. Stack traces are cut to their first lines, and a path that HDFS
 * appends to a message twice stands once, and that a command waits for HDFS's recovery of a block is left out.
 */
record SameWords(Configuration configuration, Path files, ShellLine.Kind kind) {
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(:\\d\\d)?");
    private static final Pattern MILLIS = Pattern.compile("\\b1\\d{12}\\b");
    private static final Pattern CHECKPOINT = Pattern.compile("\\.Trash/\\d{12}");
    private static final Pattern NUMBER = Pattern.compile("[\\d.]+( [KMGTP])?");
    private static final Pattern FRAME = Pattern.compile("(?m)^\\tat .*\n");
    private static final Pattern WAIT = Pattern.compile("(?m)^Waiting for \\S+ \\.\\.\\.\n");
    private static final Pattern ACL_PATH = Pattern.compile("( Path: \\S+)+");
    private static final Pattern BLANKS = Pattern.compile(" +");
    private static final Duration RUN = Duration.ofHours(25);

    String of(ByteArrayOutputStream printed) {
        URI uri = URI.create(configuration.get("fs.defaultFS"));
        String text = printed.toString(StandardCharsets.UTF_8)
                .replace(uri.toString(), "FS")
                .replace(uri.getAuthority(), "AUTHORITY")
                .replace(files.toString(), "LOCAL");
        text = FRAME.matcher(text).replaceAll("");
        text = WAIT.matcher(text).replaceAll("");
        text = ACL_PATH.matcher(text).replaceAll("$1");
        text = CHECKPOINT.matcher(text).replaceAll(".Trash/CHECKPOINT");
        text = TIME.matcher(text).replaceAll(match -> isOfRun(match.group()) ? "NOW" : match.group());
        text = MILLIS.matcher(text).replaceAll(match -> isOfRun(Long.parseLong(match.group())) ? "NOW" : match.group());
        return switch (kind) {
            case SAME, REFUSED -> text;
            case SHAPE -> BLANKS.matcher(NUMBER.matcher(text).replaceAll("N")).replaceAll(" ");
            case UNORDERED -> text.lines().sorted().collect(Collectors.joining("\n"));
        };
    }

    /** In the time zone of the machine, as of a listing, or in UTC, as of a status. */
    private static boolean isOfRun(String time) {
        String pattern = time.length() > "2000-01-01 00:00".length() ? "yyyy-MM-dd HH:mm:ss" : "yyyy-MM-dd HH:mm";
        LocalDateTime parsed = LocalDateTime.parse(time, DateTimeFormatter.ofPattern(pattern));
        return isOfRun(parsed.atZone(ZoneId.systemDefault()).toInstant().toEpochMilli())
                || isOfRun(parsed.toInstant(ZoneOffset.UTC).toEpochMilli());
    }

    private static boolean isOfRun(long millis) {
        return Duration.between(Instant.ofEpochMilli(millis), Instant.now())
                        .abs()
                        .compareTo(RUN)
                < 0;
    }
}
