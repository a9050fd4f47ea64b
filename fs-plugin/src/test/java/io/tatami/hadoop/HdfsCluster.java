package io.tatami.hadoop;

import org.apache.hadoop.conf.Configuration;

/** How the HDFS in this JVM is set up that tests compare Tatami with. */
public final class HdfsCluster {
    private HdfsCluster() {}

    /** A new one of a cluster and its clients, which takes small blocks and has checksums that tell of bytes alone. */
    public static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setInt("dfs.namenode.fs-limits.min-block-size", 0);
        configuration.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
        // A close that comes before the DataNode's report asks again after this, instead of after 400 ms.
        configuration.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 2);
        configuration.setInt("dfs.client.block.write.locateFollowingBlock.retries", 13);
        return configuration;
    }
}
