package io.tatami.hadoop;

import io.tatami.base.TatamiException;
import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.locality.LocalityAnswer;
import io.tatami.hadoop.locality.LocalityJson;
import io.tatami.hadoop.locality.LocalityQuestion;
import io.tatami.hadoop.locality.LocalityText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
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

    private TatamiLocality() {}

    /**
     * What is asked.
     *
     * @param subject an application's id, or a path
     * @param history a MapReduce job's history file; null to look for it
     * @param remoteMax how many of the largest remote reads are listed
     * @param json whether the answer is one JSON object
     */
    public record Question(String subject, @Nullable String history, int remoteMax, boolean json) {}

    /**
     * The configuration on the class path, by which history files are found, too.
     *
     * @param uri the cluster; null to take that of the environment or the configuration
     * @throws TatamiException INVALID_ARGUMENT where none is named
     */
    public static Configuration configuration(@Nullable String uri) throws TatamiException {
        return ShellConfiguration.of(uri, List.of("tatami-site.xml", "mapred-default.xml", "mapred-site.xml"));
    }

    /** @param configuration whose default file system is the cluster */
    public static void print(Configuration configuration, Question question, PrintWriter out) throws IOException {
        try (TatamiCalls calls =
                TatamiCalls.connect(URI.create(configuration.get("fs.defaultFS", "")), configuration)) {
            Path history = question.history() == null ? null : new Path(question.history());
            LocalityAnswer answer = new LocalityQuestion(calls.client(), configuration, question.remoteMax(), TIMEOUT)
                    .answer(question.subject(), history);
            if (question.json()) {
                out.println(LocalityJson.of(answer));
            } else {
                new LocalityText(out).print(answer);
            }
            out.flush();
        }
    }
}
