package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerProcessTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aClientOfHdfsHasThePeersSettingsWhereHdfsHasDefaultsOfItsOwn() throws Exception {
        Configuration site = new Configuration(false);
        site.addResource("hdfs-peer.xml");
        String delay = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";
        try (WorkerProcess worker = new WorkerProcess(Asked.class, "64m", site, directory)) {
            worker.awaitReady();
            for (String key : List.of("dfs.replication", "dfs.blocksize", delay)) {
                worker.tell(key);
                assertEquals(List.of(site.getTrimmed(key)), worker.awaitDone(), key);
            }
        }
    }

    /** A client that tells what its configuration has, as HDFS's client sees it. */
    public static final class Asked {
        private Asked() {}

        public static void main(String[] arguments) throws Exception {
            Configuration configuration = new HdfsConfiguration();
            System.out.println("ready");
            BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String key = keys.readLine(); key != null; key = keys.readLine()) {
                System.out.println("done " + configuration.getTrimmed(key));
            }
        }
    }
}
