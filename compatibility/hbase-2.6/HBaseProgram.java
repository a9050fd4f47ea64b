import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Writes a table of HBase on Tatami and reads it after a flush, the death of its servers, an orderly stop, a compaction and
 * from a snapshot. Its arguments are a directory of a Tatami cluster and a local one.
 */
public final class HBaseProgram {
    private static final TableName TABLE = TableName.valueOf("table");
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final int ROWS = 20_000;
    private static final long LIMIT_MILLIS = 120_000;

    private final HBaseCluster cluster;
    private final String root;

    private HBaseProgram(HBaseCluster cluster, String root) {
        this.cluster = cluster;
        this.root = root;
    }

    public static void main(String[] arguments) throws Exception {
        try (HBaseCluster cluster = new HBaseCluster(arguments[0], Path.of(arguments[1]))) {
            new HBaseProgram(cluster, arguments[0]).run();
        }
        System.out.println("hbase: all was done");
        System.exit(0);
    }

    private void run() throws Exception {
        cluster.startMaster();
        Process server = cluster.startRegionServer(HBaseCluster.freePort());
        cluster.awaitServers(1);
        try (Connection connection = cluster.connect();
                Admin admin = connection.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                            .build(),
                    new byte[][] {row(ROWS / 3), row(ROWS / 3 * 2)});
            put(connection, 1, 0, ROWS);
            check(connection, TABLE, 1, 0);
            admin.flush(TABLE);
            HBaseCluster.require(files() >= 3, "each of three regions has a file");
            check(connection, TABLE, 1, 0);

            // What is in the log only comes back from the log.
            put(connection, 2, 0, ROWS / 2);
            server.destroyForcibly().waitFor();
            cluster.killMaster();
            cluster.startMaster();
            server = cluster.startRegionServer(HBaseCluster.freePort());
            cluster.awaitServers(1);
            check(connection, TABLE, 2, ROWS / 2);

            server.destroy();
            HBaseCluster.require(server.waitFor(LIMIT_MILLIS, TimeUnit.MILLISECONDS), "a region server stops");
            cluster.startRegionServer(HBaseCluster.freePort());
            cluster.awaitServers(1);
            check(connection, TABLE, 2, ROWS / 2);

            admin.flush(TABLE);
            admin.majorCompact(TABLE);
            HBaseCluster.await("each region has one file", LIMIT_MILLIS, () ->
                    admin.getCompactionState(TABLE) == CompactionState.NONE && files() == 3);
            check(connection, TABLE, 2, ROWS / 2);

            admin.snapshot("snapshot", TABLE);
            put(connection, 3, 0, ROWS);
            TableName clone = TableName.valueOf("clone");
            admin.cloneSnapshot("snapshot", clone);
            check(connection, clone, 2, ROWS / 2);
            check(connection, TABLE, 3, ROWS);
        }
    }

    private static void put(Connection connection, int version, int from, int to) throws Exception {
        try (BufferedMutator rows = connection.getBufferedMutator(TABLE)) {
            for (int i = from; i < to; i++) {
                rows.mutate(new Put(row(i)).addColumn(FAMILY, FAMILY, value(i, version)));
            }
        }
    }

    /** Rows before {@code changed} have this version, the others the one that was written first. */
    private static void check(Connection connection, TableName name, int version, int changed) throws Exception {
        try (Table table = connection.getTable(name);
                ResultScanner rows = table.getScanner(new Scan().setCaching(1_000))) {
            int i = 0;
            for (Result result : rows) {
                HBaseCluster.require(Bytes.equals(result.getRow(), row(i)), "row " + i + " of " + name + " is in its place");
                HBaseCluster.require(
                        Bytes.equals(result.getValue(FAMILY, FAMILY), value(i, i < changed ? version : 1)),
                        "row " + i + " of " + name + " has what was written");
                i++;
            }
            HBaseCluster.require(i == ROWS, name + " has " + ROWS + " rows, and not " + i);
            Result one = table.get(new Get(row(ROWS / 4)));
            HBaseCluster.require(
                    Bytes.equals(one.getValue(FAMILY, FAMILY), value(ROWS / 4, ROWS / 4 < changed ? version : 1)),
                    "a row is got");
        }
    }

    private int files() throws IOException {
        org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(root, "data/default/" + TABLE);
        RemoteIterator<LocatedFileStatus> files =
                FileSystem.get(directory.toUri(), cluster.configuration()).listFiles(directory, true);
        int count = 0;
        while (files.hasNext()) {
            if (files.next().getPath().getParent().getName().equals("f")) {
                count++;
            }
        }
        return count;
    }

    private static byte[] row(int i) {
        return Bytes.toBytes(String.format("%08d", i));
    }

    private static byte[] value(int i, int version) {
        Random random = new Random(31L * i + version);
        byte[] value = new byte[100 + random.nextInt(400)];
        random.nextBytes(value);
        return value;
    }
}
