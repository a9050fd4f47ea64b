package io.tatami.meta.service.move;

import io.tatami.conf.Setting;
import java.util.List;

/** What can be configured about directories that grow. */
public final class WideningSettings {
    public static final Setting<Integer> ENTRIES = Setting.count(
            "tatami.directory.spread.entries",
            0,
            0,
            1_000_000,
            "From how many entries in one shard on a directory is divided over twice as many, such as 10000 where shards"
                    + " lie on several servers; 0 for never.");

    public static final List<Setting<?>> ALL = List.of(ENTRIES);

    private WideningSettings() {}
}
