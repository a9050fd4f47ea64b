package io.tatami.hadoop.locality;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job or application, by what the names of all its parts contain.
 *
 * @param part of YARN's when the ResourceManager started, in milliseconds, and a number of at least four digits; of
 *     Spark's own clusters the whole name
 * @param sequence the number of YARN's; empty of Spark's
 */
record JobName(String part, String sequence) {
    private static final Pattern OF_YARN = Pattern.compile("(?:application|job)_(\\d+_(\\d+))");
    private static final Pattern OF_SPARK = Pattern.compile("app-\\d+-\\d+|local-\\d+");
    private static final Pattern ATTEMPT = Pattern.compile("attempt_\\d+_\\d+_[a-z]_\\d+_\\d+");

    /**
     * @param word such as {@code application_1700000000000_0001}, or {@code app-20260131235959-0001} as Spark's
     *     standalone cluster names applications; empty where it is none
     */
    static Optional<JobName> of(String word) {
        Matcher yarn = OF_YARN.matcher(word);
        if (yarn.matches()) {
            return Optional.of(new JobName(yarn.group(1), yarn.group(2)));
        }
        return OF_SPARK.matcher(word).matches() ? Optional.of(new JobName(word, "")) : Optional.empty();
    }

    /** Whether a caller context is of the job, rather than of one whose number begins or ends alike. */
    boolean isIn(String context) {
        return Pattern.compile("(?<!\\d)" + Pattern.quote(part) + "(?!\\d)")
                .matcher(context)
                .find();
    }

    /** The directory of its history below that of a day: the first six of nine digits. */
    String serialDirectory() {
        return String.format("%09d", Long.parseLong(sequence)).substring(0, 6);
    }

    /** The task attempt of MapReduce that a caller context names. */
    static Optional<String> attemptIn(String context) {
        Matcher attempt = ATTEMPT.matcher(context);
        return attempt.find() ? Optional.of(attempt.group()) : Optional.empty();
    }
}
