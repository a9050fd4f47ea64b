package io.tatami.meta.service.tree;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.util.List;

/**
 * What can be configured about the tree.
 *
 * @param announceTimeoutMillis how long a change waits for the shards before it is withdrawn
 */
public record TreeSettings(String rootOwner, String rootGroup, int spread, long announceTimeoutMillis) {
    public static final Setting<String> ROOT_OWNER = Setting.text(
            "tatami.root.owner", "", "Owner of the root directory of a new cluster; empty for who runs the server.");

    public static final Setting<String> ROOT_GROUP =
            Setting.text("tatami.root.group", "supergroup", "Group of the root directory of a new cluster.");

    public static final Setting<Integer> SPREAD = Setting.count(
                    "tatami.directory.spread",
                    1,
                    1,
                    256,
                    "Over how many shards the entries of a new directory are divided.")
            .where("a power of two", value -> Integer.bitCount(value) == 1);

    public static final Setting<Duration> ANNOUNCE_TIMEOUT = Setting.duration(
            "tatami.tree.announce.timeout",
            "5s",
            "100ms",
            "60s",
            "After which a change that a shard does not acknowledge is given up.");

    public static final List<Setting<?>> ALL = List.of(ROOT_OWNER, ROOT_GROUP, SPREAD, ANNOUNCE_TIMEOUT);

    public static TreeSettings from(Settings settings) throws SettingException {
        String owner = settings.get(ROOT_OWNER);
        return new TreeSettings(
                owner.isEmpty() ? System.getProperty("user.name", "root") : owner,
                settings.get(ROOT_GROUP),
                settings.get(SPREAD),
                settings.get(ANNOUNCE_TIMEOUT).toMillis());
    }
}
