package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** For how long a silent copy is read alone. */
final class HedgeSettingTest {
    @Test
    void itIsASecondAndLessWhereASettingSaysSo() throws Exception {
        assertEquals(Duration.ofSeconds(1), patience(Map.of()));
        assertEquals(Duration.ofMillis(200), patience(Map.of("tatami.client.read.hedge", "200ms")));
        assertEquals(Duration.ofSeconds(1), patience(Map.of("tatami.client.read.hedge", "1s")));
    }

    private static Duration patience(Map<String, String> settings) throws Exception {
        ClientSettings client = ClientSettings.from(Settings.of(settings));
        return Duration.ofNanos(FileLocator.patienceNanos(client.readHedge()));
    }
}
