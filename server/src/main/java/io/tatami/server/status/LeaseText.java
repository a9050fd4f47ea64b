package io.tatami.server.status;

import io.tatami.protocol.wire.HeldLease;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The lease of a file, in words. */
public final class LeaseText {
    private LeaseText() {}

    /** Who or what holds it. */
    public static String holder(HeldLease lease) {
        return switch (lease.getHolder()) {
            case WRITER, UNRECOGNIZED -> "its writer";
            case RECOVERY -> "a recovery";
            case TRUNCATION -> "a truncation";
        };
    }

    /** Since when nothing was committed. */
    public static String age(HeldLease lease) {
        Duration age = Duration.ofMillis(lease.getUnchangedMillis());
        return age.toDays() > 0
                ? age.toDays() + " d " + age.toHoursPart() + " h"
                : age.toHours() > 0
                        ? age.toHours() + " h " + age.toMinutesPart() + " min"
                        : age.toMinutes() > 0
                                ? age.toMinutes() + " min " + age.toSecondsPart() + " s"
                                : age.toSeconds() + " s";
    }

    /** Under the names in JSON. */
    public static Map<String, Object> json(HeldLease lease) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("session", lease.getSession());
        json.put("held_by", holder(lease).replaceFirst("^an? |^its ", ""));
        json.put("unchanged_millis", lease.getUnchangedMillis());
        return json;
    }
}
