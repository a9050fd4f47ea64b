package io.tatami.hadoop.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

final class HdfsSettingsTest {
    private final Configuration hadoop = new Configuration(false);

    private ClientSettings client() throws Exception {
        return ClientSettings.from(HdfsSettings.of(hadoop));
    }

    private void add(String file, String key, String value) {
        String xml = "<configuration><property><name>" + key + "</name><value>" + value
                + "</value></property></configuration>";
        hadoop.addResource(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)), file);
    }

    @Test
    void nothingIsTakenWhereNothingIsSet() throws Exception {
        assertEquals(ClientSettings.from(Settings.defaults()), client());
    }

    @Test
    void hdfssNamesAreTaken() throws Exception {
        add("hdfs-site.xml", HdfsSettings.REPLICATION, "3");
        hadoop.set(HdfsSettings.BLOCK_SIZE, "64m");
        hadoop.set(HdfsSettings.REPLICATION_MIN, "2");
        hadoop.set(HdfsSettings.SOCKET_TIMEOUT, "30000");
        hadoop.set(HdfsSettings.HEDGE_THREADS, "4");
        hadoop.set(HdfsSettings.HEDGE_THRESHOLD, "20");
        ClientSettings client = client();
        assertEquals(3, client.replication());
        assertEquals(64L << 20, client.blockSizeBytes());
        assertEquals(2, client.copiesMin());
        assertEquals(Duration.ofSeconds(30), client.blockTimeout());
        assertEquals(Duration.ofMillis(20), client.readHedge());
    }

    @Test
    void tatamisOwnNameGoesBefore() throws Exception {
        hadoop.set(HdfsSettings.REPLICATION, "3");
        hadoop.set(ClientSettings.REPLICATION.key(), "2");
        hadoop.set(HdfsSettings.REPLICATION_MIN, "2");
        hadoop.set(ClientSettings.COPIES_MIN.key(), "1");
        assertEquals(2, client().replication());
        assertEquals(1, client().copiesMin());
    }

    @Test
    void whatHdfsHasByDefaultIsNotSet() throws Exception {
        add("hdfs-default.xml", HdfsSettings.REPLICATION, "3");
        add("hdfs-default.xml", HdfsSettings.BLOCK_SIZE, "134217728");
        add("hdfs-default.xml", HdfsSettings.SOCKET_TIMEOUT, "1000");
        assertEquals(ClientSettings.from(Settings.defaults()), client());
        add("hdfs-site.xml", HdfsSettings.REPLICATION, "5");
        assertEquals(5, client().replication());
    }

    @Test
    void hedgesAreMadeOnlyWhereHdfsHasThreadsForThem() throws Exception {
        hadoop.set(HdfsSettings.HEDGE_THRESHOLD, "20");
        assertTrue(client().readHedge().isZero());
        hadoop.set(HdfsSettings.HEDGE_THREADS, "0");
        assertTrue(client().readHedge().isZero());
        hadoop.set(HdfsSettings.HEDGE_THREADS, "1");
        hadoop.unset(HdfsSettings.HEDGE_THRESHOLD);
        assertEquals(Duration.ofMillis(500), client().readHedge());
    }

    @Test
    void theLargerOfTwoLeastNumbersOfCopiesCounts() throws Exception {
        hadoop.set(HdfsSettings.GO_ON_WITH, "2");
        assertEquals(2, client().copiesMin());
        hadoop.set(HdfsSettings.REPLICATION_MIN, "3");
        assertEquals(3, client().copiesMin());
        hadoop.set(HdfsSettings.REPLICATION_MIN, "1");
        assertEquals(2, client().copiesMin());
        hadoop.set(HdfsSettings.GO_ON_WITH, "0");
        assertEquals(1, client().copiesMin());
    }

    @Test
    void numbersBeyondWhatIsTakenStandForTheNearest() throws Exception {
        hadoop.set(HdfsSettings.REPLICATION, "512");
        hadoop.set(HdfsSettings.BLOCK_SIZE, "1t");
        hadoop.set(HdfsSettings.SOCKET_TIMEOUT, "0");
        hadoop.set(HdfsSettings.HEDGE_THREADS, "1");
        hadoop.set(HdfsSettings.HEDGE_THRESHOLD, "0");
        ClientSettings client = client();
        assertEquals(16, client.replication());
        assertEquals(2L << 30, client.blockSizeBytes());
        assertEquals(Duration.ofHours(1), client.blockTimeout());
        assertEquals(Duration.ofMillis(1), client.readHedge(), "0 would be a second");
        hadoop.set(HdfsSettings.HEDGE_THRESHOLD, "60000");
        assertEquals(Duration.ofSeconds(1), client().readHedge());
    }
}
