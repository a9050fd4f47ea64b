package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CpuQuotaTest {
    private static final int TRIES = 6_000;
    private static final long PAUSE_MILLIS = 10;

    @Test
    void theKernelsCountsAreReadByTheirNames() throws Exception {
        CpuQuota.Usage earlier = CpuQuota.Usage.parse(5, "nr_periods 7\nnr_throttled 3\nthrottled_time 12\n");
        assertEquals(new CpuQuota.Usage(5, 7, 3), earlier);
        assertEquals(
                new CpuQuota.Usage(10, 3, 1),
                CpuQuota.Usage.parse(15, "nr_periods 10\nnr_throttled 4").since(earlier));
        IOException failure = assertThrows(IOException.class, () -> CpuQuota.Usage.parse(5, "nr_periods 7"));
        assertTrue(failure.toString().contains("nr_throttled"), failure::toString);
    }

    @Test
    void aProcessThatWantsAWholeCoreIsThrottledAndTheGroupGoesThoughTheProcessStays() throws Exception {
        assumeTrue(CpuQuota.isAvailable(), "making control groups needs root and cgroup v1");
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        Path group = Path.of(
                "/sys/fs/cgroup/cpu/tatami-test-" + ProcessHandle.current().pid());
        try (CpuQuota quota = new CpuQuota("test")) {
            quota.add(busy.toHandle());
            quota.limit(0.1, 20_000);
            for (int i = 0; i < TRIES && quota.usage().throttledPeriods() < 3; i++) {
                Thread.sleep(PAUSE_MILLIS);
            }
            CpuQuota.Usage usage = quota.usage();
            assertTrue(usage.usedNanos() > 0 && usage.periods() >= usage.throttledPeriods(), usage::toString);
            assertTrue(usage.throttledPeriods() >= 3, usage::toString);
            assertTrue(Files.exists(group));
        } finally {
            busy.destroyForcibly().waitFor();
        }
        assertFalse(Files.exists(group));
    }
}
