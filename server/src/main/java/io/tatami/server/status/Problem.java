package io.tatami.server.status;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One kind of trouble of a cluster, and what to do about it.
 *
 * @param isFailure whether {@code status} ends with 1 because of it
 * @param what the trouble, in words that are followed by the subjects
 * @param subjects servers, groups or volumes that have it, each with its reason; empty for trouble of the whole cluster
 * @param remedy what to do, with the command to run
 */
public record Problem(boolean isFailure, String what, List<String> subjects, String remedy) {
    private static final int SUBJECTS_MAX = 3;
    private static final int SUBJECT_CHARS_MAX = 160;

    /** Two lines; of many subjects the first ones. */
    List<String> lines() {
        StringBuilder first = new StringBuilder(what);
        if (!subjects.isEmpty()) {
            first.append(subjects.size() > 1 ? " (" + subjects.size() + "): " : ": ")
                    .append(String.join(
                            "; ",
                            subjects.stream()
                                    .limit(SUBJECTS_MAX)
                                    .map(Problem::shortened)
                                    .toList()));
        }
        if (subjects.size() > SUBJECTS_MAX) {
            first.append("; and ").append(subjects.size() - SUBJECTS_MAX).append(" more");
        }
        return List.of(first.toString(), "   do: " + remedy);
    }

    /** Reasons may be another program's, of any length and with line ends. */
    private static String shortened(String subject) {
        String line = subject.replaceAll("\\s+", " ").strip();
        return line.length() <= SUBJECT_CHARS_MAX ? line : line.substring(0, SUBJECT_CHARS_MAX) + "…";
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", isFailure ? "failure" : "warning");
        json.put("what", what);
        json.put("subjects", subjects);
        json.put("remedy", remedy);
        return json;
    }
}
