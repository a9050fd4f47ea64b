package io.tatami.meta.service.file;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import io.tatami.meta.op.file.FileLimits;
import java.time.Duration;
import java.util.List;

/**
 * What can be configured about files.
 *
 * @param softLimitNanos how long after its last renewal a lease is safe from other writers
 * @param hardLimitNanos after which a file is closed although nobody asked for it
 */
public record FileSettings(FileLimits limits, long softLimitNanos, long hardLimitNanos) {
    public static final Setting<Long> BLOCK_SIZE_MIN = Setting.size(
            FileLimits.BLOCK_SIZE_MIN_KEY, "1m", "1", "2g", "Smallest block size that a file can be created with.");

    public static final Setting<Long> INLINE_MAX = Setting.size(
            "tatami.inline.max", "16k", "0", "64k", "Longest content of a file that is stored with the metadata.");

    public static final Setting<Duration> LEASE_SOFT_LIMIT = Setting.duration(
            "tatami.lease.soft-limit",
            "60s",
            "100ms",
            "1h",
            "After which another writer may take over the files of a writer that went silent.");

    public static final Setting<Duration> LEASE_HARD_LIMIT = Setting.duration(
            "tatami.lease.hard-limit",
            "20m",
            "200ms",
            "24h",
            "After which the files of a writer that went silent are closed.");

    public static final List<Setting<?>> ALL = List.of(BLOCK_SIZE_MIN, INLINE_MAX, LEASE_SOFT_LIMIT, LEASE_HARD_LIMIT);

    public static FileSettings from(Settings settings) throws SettingException {
        return new FileSettings(
                new FileLimits(
                        settings.get(BLOCK_SIZE_MIN), settings.get(INLINE_MAX).intValue()),
                settings.get(LEASE_SOFT_LIMIT).toNanos(),
                settings.get(LEASE_HARD_LIMIT).toNanos());
    }
}
