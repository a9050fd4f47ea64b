package io.tatami.meta.store;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.util.List;

/**
 * How much memory the stores of one process use together, and what each may use.
 *
 * @param cacheBytes blocks, indexes and filters of all groups, and their write buffers, together
 * @param writeBuffersBytes the part of it that unwritten changes may take before stores flush
 * @param openFilesMax table files that each group keeps open
 * @param backgroundJobs threads for flushes and compactions, of all groups together
 */
public record StoreSettings(long cacheBytes, long writeBuffersBytes, int openFilesMax, int backgroundJobs) {
    private static final Setting<Long> CACHE = Setting.size(
            "tatami.meta.store.cache", "1g", "8m", "1t", "Memory for records of all groups of a metadata server.");
    private static final Setting<Long> WRITE_BUFFERS = Setting.size(
            "tatami.meta.store.write.buffers",
            "192m",
            "4m",
            "1t",
            "The part of the cache for changes not yet in tables.");
    private static final Setting<Integer> OPEN_FILES = Setting.count(
            "tatami.meta.store.open.files", 256, 16, 1 << 20, "Table files that each metadata group keeps open.");
    private static final Setting<Integer> BACKGROUND_JOBS = Setting.count(
            "tatami.meta.store.background.jobs", 2, 1, 64, "Threads that write and merge tables of all groups.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(CACHE, WRITE_BUFFERS, OPEN_FILES, BACKGROUND_JOBS);

    /** @throws SettingException INVALID_ARGUMENT on a bad value */
    public static StoreSettings from(Settings settings) throws SettingException {
        return new StoreSettings(
                settings.get(CACHE),
                settings.get(WRITE_BUFFERS),
                settings.get(OPEN_FILES),
                settings.get(BACKGROUND_JOBS));
    }
}
