package io.tatami.hadoop.locality;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job or application of YARN, by the two numbers that the names of all its parts contain.
 *
 * @param clusterTime when the ResourceManager started, in milliseconds
 * @param sequence at least four digits
 */
record JobName(String clusterTime, String sequence) {
    private static final Pattern NAME = Pattern.compile("(?:application|job)_(\\d+)_(\\d+)");
    private static final Pattern ATTEMPT = Pattern.compile("attempt_\\d+_\\d+_[a-z]_\\d+_\\d+");

    /** @param word such as {@code application_1700000000000_0001}; empty where it is none */
    static Optional<JobName> of(String word) {
        Matcher name = NAME.matcher(word);
        return name.matches() ? Optional.of(new JobName(name.group(1), name.group(2))) : Optional.empty();
    }

    /** What a caller context of the job contains. */
    String part() {
        return clusterTime + "_" + sequence;
    }

    /** Whether a caller context is of the job, rather than of one whose number begins or ends alike. */
    boolean isIn(String context) {
        return Pattern.compile("(?<!\\d)" + part() + "(?!\\d)").matcher(context).find();
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
