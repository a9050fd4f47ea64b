package io.tatami.hadoop;

import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.locality.LocalityAnswer;
import io.tatami.hadoop.locality.LocalityJson;
import io.tatami.hadoop.locality.LocalityQuestion;
import io.tatami.hadoop.locality.LocalityText;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * {@code bin/tatami locality}: why the reads of a job or a file were remote. The cluster is named as for
 * {@link TatamiShell}.
 */
public final class TatamiLocality {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int REMOTE_DEFAULT = 20;

    private static final String USAGE = """
            Usage: tatami locality [--uri URI] [--history FILE] [--top N] [--json] APPLICATION|PATH

            What was read in the last day by the tasks of an application (application_N_M or job_N_M; app-N-M or
            local-N of Spark), or of the files at and below a path: bytes from the reader's host, its rack, other racks
            and the cache tier, and for reads from other hosts why. All users' reads for the superuser, one's own for
            others.

              --uri URI         the cluster, tatami://host:port (default: TATAMI_URI, or fs.defaultFS)
              --history FILE    history file of a MapReduce job (default: looked for in the directories of the
                                history server), to tell what ran off its split's hosts
              --top N           how many of the largest remote reads are listed (default: 20)
              --json            one JSON object instead of text; sizes in bytes
            """;

    private TatamiLocality() {}

    public static void main(String[] arguments) {
        System.exit(
                run(List.of(arguments), new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))));
    }

    /** The exit code. */
    private static int run(List<String> arguments, PrintWriter out) {
        List<String> rest = new ArrayList<>(arguments);
        if (rest.contains("--help") || rest.contains("-h")) {
            System.out.print(USAGE);
            return 0;
        }
        Configuration configuration = new Configuration();
        for (String resource : List.of("tatami-site.xml", "mapred-default.xml", "mapred-site.xml")) {
            configuration.addResource(resource);
        }
        @Nullable String uri = TatamiShell.uri(rest);
        if (uri != null) {
            configuration.set("fs.defaultFS", uri);
        }
        if (!configuration.get("fs.defaultFS", "").startsWith("tatami:")) {
            return wrongUsage("no cluster is named; put --uri tatami://host:port first, or set TATAMI_URI");
        }
        return run(configuration, rest, out);
    }

    /** @param words without those that name the cluster, which is the configuration's default file system */
    static int run(Configuration configuration, List<String> words, PrintWriter out) {
        @Nullable Path history = null;
        int top = REMOTE_DEFAULT;
        boolean json = false;
        List<String> rest = new ArrayList<>(words);
        while (rest.size() > 1 && rest.get(0).startsWith("--")) {
            String option = rest.remove(0);
            if (option.equals("--json")) {
                json = true;
                continue;
            }
            String value = rest.remove(0);
            if (option.equals("--history")) {
                history = new Path(value);
            } else if (option.equals("--top") && value.matches("\\d{1,6}")) {
                top = Integer.parseInt(value);
            } else {
                return wrongUsage("it knows no " + option + " " + value);
            }
        }
        if (rest.size() != 1 || rest.get(0).startsWith("--")) {
            return wrongUsage("name one application or path, behind the options");
        }
        try (TatamiCalls calls =
                TatamiCalls.connect(URI.create(configuration.get("fs.defaultFS", "")), configuration)) {
            LocalityAnswer answer =
                    new LocalityQuestion(calls.client(), configuration, top, TIMEOUT).answer(rest.get(0), history);
            if (json) {
                out.println(LocalityJson.of(answer));
                out.flush();
            } else {
                new LocalityText(out).print(answer);
            }
            return 0;
        } catch (IOException e) {
            System.err.println("tatami locality: " + e.getMessage());
            return 1;
        }
    }

    private static int wrongUsage(String message) {
        System.err.println("tatami locality: " + message);
        System.err.println("Try 'tatami locality --help'.");
        return 2;
    }
}
