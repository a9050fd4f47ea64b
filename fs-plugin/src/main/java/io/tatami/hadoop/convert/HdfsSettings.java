package io.tatami.hadoop.convert;

import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Setting;
import io.tatami.conf.Settings;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * Settings of a client by the names that HDFS has for them, where those mean the same. A setting's own name goes before
 * HDFS's. What only {@code hdfs-default.xml} says counts as not set, and a number beyond what Tatami takes stands for
 * the nearest that it takes.
 */
public final class HdfsSettings {
    static final String REPLICATION = "dfs.replication";
    static final String BLOCK_SIZE = "dfs.blocksize";
    static final String REPLICATION_MIN = "dfs.namenode.replication.min";
    static final String GO_ON_WITH = "dfs.client.block.write.replace-datanode-on-failure.min-replication";
    static final String SOCKET_TIMEOUT = "dfs.client.socket-timeout";
    static final String HEDGE_THREADS = "dfs.client.hedged.read.threadpool.size";
    static final String HEDGE_THRESHOLD = "dfs.client.hedged.read.threshold.millis";

    private static final String DEFAULTS = "-default.xml";
    private static final int COPIES_MAX = 16;
    private static final long BLOCK_BYTES_MAX = 2L << 30;
    private static final long HEDGE_MILLIS_DEFAULT = 500;
    private static final long HEDGE_MILLIS_MAX = 1_000;
    private static final long TIMEOUT_MILLIS_MAX = TimeUnit.HOURS.toMillis(1);

    private final Configuration configuration;
    private final Map<String, String> taken = new HashMap<>();

    private HdfsSettings(Configuration configuration) {
        this.configuration = configuration;
    }

    /** All settings of a client. */
    public static Settings of(Configuration configuration) {
        HdfsSettings hdfs = new HdfsSettings(configuration);
        hdfs.takeSizes();
        hdfs.takeTimes();
        return new Settings(configuration::get).orElse(Settings.of(hdfs.taken));
    }

    private void takeSizes() {
        if (isSet(REPLICATION)) {
            take(ClientSettings.REPLICATION, clamped(configuration.getInt(REPLICATION, 1), COPIES_MAX), "");
        }
        if (isSet(BLOCK_SIZE)) {
            take(ClientSettings.BLOCK_SIZE, clamped(configuration.getLongBytes(BLOCK_SIZE, 1), BLOCK_BYTES_MAX), "");
        }
        int least = Math.max(
                isSet(REPLICATION_MIN) ? configuration.getInt(REPLICATION_MIN, 1) : 0,
                isSet(GO_ON_WITH) ? configuration.getInt(GO_ON_WITH, 0) : 0);
        if (least > 0) {
            take(ClientSettings.COPIES_MIN, clamped(least, COPIES_MAX), "");
        }
    }

    private void takeTimes() {
        // 0 is no limit in HDFS.
        long timeoutMillis = isSet(SOCKET_TIMEOUT) ? configuration.getInt(SOCKET_TIMEOUT, 0) : -1;
        if (timeoutMillis >= 0) {
            long millis = timeoutMillis == 0 ? TIMEOUT_MILLIS_MAX : clamped(timeoutMillis, TIMEOUT_MILLIS_MAX);
            take(ClientSettings.BLOCK_TIMEOUT, millis, "ms");
        }
        if (isSet(HEDGE_THREADS) && configuration.getInt(HEDGE_THREADS, 0) > 0) {
            long millis = configuration.getLong(HEDGE_THRESHOLD, HEDGE_MILLIS_DEFAULT);
            take(ClientSettings.READ_HEDGE, clamped(millis, HEDGE_MILLIS_MAX), "ms");
        }
    }

    private void take(Setting<?> setting, long value, String unit) {
        taken.put(setting.key(), value + unit);
    }

    private static long clamped(long value, long max) {
        return Math.max(1, Math.min(max, value));
    }

    /** By a file of the site or by a program. */
    private boolean isSet(String key) {
        String[] sources = configuration.getPropertySources(key);
        return configuration.get(key) != null
                && (sources == null || Arrays.stream(sources).noneMatch(source -> source.endsWith(DEFAULTS)));
    }
}
