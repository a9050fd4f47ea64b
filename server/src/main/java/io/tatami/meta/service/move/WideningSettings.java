package io.tatami.meta.service.move;

import io.tatami.conf.Setting;
import java.util.List;

/** What can be configured about directories that grow. */
public final class WideningSettings {
    public static final Setting<Integer> ENTRIES = Setting.count(
            "tatami.directory.spread.entries",
            10_000,
            0,
            1_000_000,
            "From how many entries in one shard on a directory is divided over twice as many, where that reaches another"
                    + " metadata server; 0 for never.");

    public static final Setting<Integer> RATE = Setting.count(
            "tatami.directory.spread.rate",
            2_000,
            0,
            1_000_000,
            "From how many changes of names a second in one shard on a directory is divided over twice as many, however few"
                    + " entries it has, where that reaches another metadata server; 0 for never.");

    public static final Setting<Boolean> ON_ONE_SERVER = Setting.flag(
            "tatami.directory.spread.on.one.server",
            false,
            "Whether a directory is divided also where that reaches no other metadata server: its changes then use more"
                    + " cores of one, and cost more each.");

    public static final List<Setting<?>> ALL = List.of(ENTRIES, RATE, ON_ONE_SERVER);

    private WideningSettings() {}
}
