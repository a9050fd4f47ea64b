package io.tatami.meta.service.copies;

import io.tatami.conf.Setting;
import java.time.Duration;
import java.util.List;

/** When and how fast copies are made. */
public final class CopySettings {
    public static final Setting<Duration> LOST_AFTER = Setting.duration(
            "tatami.copies.lost-after",
            "10m",
            "1s",
            "24h",
            "For how long a block server is dead until all its blocks are copied: longer than a restart of its host takes."
                    + " Blocks with one good copy left are copied at once.");

    public static final Setting<Integer> SILENT_PERCENT_MAX = Setting.count(
            "tatami.copies.silent-percent-max",
            25,
            1,
            100,
            "Of block servers, which percentage may be silent while blocks are copied: where more are, it is likely the"
                    + " network. One silent server never counts. 100 has blocks copied always.");

    public static final Setting<Integer> IN_FLIGHT_MAX = Setting.count(
            "tatami.copies.in-flight-max",
            256,
            1,
            4_096,
            "Copies that a shard has asked block servers for and not heard of yet.");

    public static final List<Setting<?>> ALL = List.of(LOST_AFTER, SILENT_PERCENT_MAX, IN_FLIGHT_MAX);

    private CopySettings() {}
}
