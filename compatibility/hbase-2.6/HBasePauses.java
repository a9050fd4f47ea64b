import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Pauses region servers of an HBase on Tatami past their sessions while two clients write, one that waits for the paused
 * server and one that goes on with the server which took its regions. The paused server goes on when others have split its
 * log: what it acknowledges from then on must be refused or kept. No acknowledged row may be missing. Its arguments are a
 * directory of a Tatami cluster, a local one and the number of pauses.
 */
public final class HBasePauses {
    private static final TableName TABLE = TableName.valueOf("pauses");
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final int SERVERS = 2;
    private static final int ROWS_ELSEWHERE = 100;
    private static final long LIMIT_MILLIS = 120_000;

    private final HBaseCluster cluster;
    private final Map<Integer, Process> servers = new HashMap<>(); // by port

    private HBasePauses(HBaseCluster cluster) {
        this.cluster = cluster;
    }

    public static void main(String[] arguments) throws Exception {
        int pauses = Integer.parseInt(arguments[2]);
        try (HBaseCluster cluster = new HBaseCluster(arguments[0], Path.of(arguments[1]))) {
            new HBasePauses(cluster).run(pauses);
        }
        System.out.println("hbase-pauses: all was done, " + pauses + " times");
        System.exit(0);
    }

    private void run(int pauses) throws Exception {
        cluster.startMaster();
        for (int i = 0; i < SERVERS; i++) {
            startServer();
        }
        cluster.awaitServers(SERVERS);
        try (Connection connection = cluster.connect();
                Connection quick = cluster.connectQuickly();
                Admin admin = connection.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                            .build(),
                    new byte[][] {Bytes.toBytes("4"), Bytes.toBytes("8"), Bytes.toBytes("c")});
            try (AcknowledgedRows waiting =
                            new AcknowledgedRows("waiting", TABLE, FAMILY, cluster.configuration(), LIMIT_MILLIS);
                    AcknowledgedRows moving =
                            new AcknowledgedRows("moving", TABLE, FAMILY, cluster.configuration(), 2_000)) {
                for (int i = 1; i <= pauses; i++) {
                    pause(quick, waiting, moving);
                    check(connection, waiting, moving, "after pause " + i + ": ");
                }
                waiting.stop();
                moving.stop();
                check(connection, waiting, moving, "at the end: ");
            }
        }
    }

    private void pause(Connection connection, AcknowledgedRows waiting, AcknowledgedRows moving) throws Exception {
        int from = waiting.next();
        HBaseCluster.await("rows are written before a pause", LIMIT_MILLIS, () ->
                waiting.acknowledgedFrom(from) >= ROWS_ELSEWHERE);
        int port = regions(connection).values().iterator().next();
        Process server = servers.remove(port);
        HBaseCluster.signal(server, "STOP");
        try {
            HBaseCluster.await("all regions are elsewhere", LIMIT_MILLIS, () ->
                    !regions(connection).containsValue(port));
            int moved = moving.next();
            HBaseCluster.await("rows are written elsewhere", LIMIT_MILLIS, () ->
                    moving.acknowledgedFrom(moved) >= ROWS_ELSEWHERE);
        } finally {
            HBaseCluster.signal(server, "CONT");
        }
        HBaseCluster.await("the server that was paused ends", LIMIT_MILLIS, () -> !server.isAlive());
        startServer();
        cluster.awaitServers(SERVERS);
    }

    private static void check(Connection connection, AcknowledgedRows waiting, AcknowledgedRows moving, String when)
            throws Exception {
        Set<String> missing = new HashSet<>();
        int rows = 0;
        for (AcknowledgedRows client : List.of(waiting, moving)) {
            int acknowledged = client.acknowledgedFrom(0);
            try (Table table = connection.getTable(TABLE);
                    ResultScanner scanner = table.getScanner(new Scan().setCaching(1_000))) {
                missing.addAll(client.missing(scanner));
            }
            rows += acknowledged;
        }
        System.out.println("hbase-pauses: " + when + missing.size() + " of more than " + rows
                + " acknowledged rows are missing; " + (waiting.failed() + moving.failed()) + " were refused");
        HBaseCluster.require(missing.isEmpty(), "nothing is missing; missing are " + missing);
    }

    private void startServer() throws Exception {
        int port = HBaseCluster.freePort();
        servers.put(port, cluster.startRegionServer(port));
    }

    /** The port of the server of each region. */
    private static Map<String, Integer> regions(Connection connection) throws java.io.IOException {
        try (RegionLocator locator = connection.getRegionLocator(TABLE)) {
            locator.clearRegionLocationCache();
            Map<String, Integer> ports = new HashMap<>();
            for (HRegionLocation location : locator.getAllRegionLocations()) {
                if (location.getServerName() != null) {
                    ports.put(location.getRegion().getEncodedName(), location.getServerName().getPort());
                }
            }
            return ports;
        }
    }
}
