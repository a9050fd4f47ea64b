import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.util.Bytes;

/** A client that writes rows of its own all the time, many at once, and remembers which were acknowledged. Thread-safe. */
final class AcknowledgedRows implements AutoCloseable {
    /** Two clients fit into a region server's queue of calls. */
    private static final int IN_FLIGHT_MAX = 120;

    private static final long BETWEEN_MILLIS = 20;

    private final String name;
    private final byte[] family;
    private final AsyncConnection connection;
    private final AsyncTable<?> table;
    private final Semaphore inFlight = new Semaphore(IN_FLIGHT_MAX);
    private final Thread thread = new Thread(this::write);
    private final BitSet acknowledged = new BitSet();
    private int written;
    private int failed;
    private volatile boolean ends;

    /** @param callMillisMax how long the client waits for an answer before it asks for the region's place again */
    AcknowledgedRows(String name, TableName table, byte[] family, Configuration configuration, long callMillisMax)
            throws ExecutionException, InterruptedException {
        this.name = name;
        this.family = family;
        connection = ConnectionFactory.createAsyncConnection(configuration).get();
        this.table = connection
                .getTableBuilder(table)
                .setRpcTimeout(callMillisMax, TimeUnit.MILLISECONDS)
                .setOperationTimeout(2, TimeUnit.MINUTES)
                .setMaxRetries(1_000)
                .build();
        thread.setDaemon(true);
        thread.start();
    }

    /** The number of the next row. */
    synchronized int next() {
        return written;
    }

    /** How many rows from this number on were acknowledged. */
    synchronized int acknowledgedFrom(int row) {
        return acknowledged.get(row, Math.max(row, acknowledged.length())).cardinality();
    }

    synchronized int failed() {
        return failed;
    }

    /** Rows that were acknowledged before the call and are not among those read. */
    List<String> missing(ResultScanner rows) throws IOException {
        BitSet missing;
        synchronized (this) {
            missing = (BitSet) acknowledged.clone();
        }
        for (Result result : rows) {
            String row = Bytes.toString(result.getRow());
            int end = row.indexOf('-');
            if (row.substring(end + 1).equals(name)) {
                int number = Integer.reverse(Integer.parseUnsignedInt(row.substring(0, end), 16));
                HBaseCluster.require(
                        Bytes.equals(result.getValue(family, family), value(number)), row + " has what was written");
                missing.clear(number);
            }
        }
        List<String> names = new ArrayList<>();
        missing.stream().forEach(number -> names.add(Bytes.toString(row(number)) + " (" + number + ")"));
        return names;
    }

    /** Writes no more, and waits for what is in flight. */
    void stop() throws InterruptedException {
        ends = true;
        thread.join();
        inFlight.acquire(IN_FLIGHT_MAX);
        inFlight.release(IN_FLIGHT_MAX);
    }

    @Override
    public void close() throws IOException {
        ends = true;
        connection.close();
    }

    private void write() {
        try {
            while (!ends) {
                inFlight.acquire();
                int number;
                synchronized (this) {
                    number = written++;
                }
                table.put(new Put(row(number)).addColumn(family, family, value(number)))
                        .whenComplete((nothing, error) -> {
                            synchronized (this) {
                                if (error == null) {
                                    acknowledged.set(number);
                                } else {
                                    failed++;
                                }
                            }
                            inFlight.release();
                        });
                Thread.sleep(BETWEEN_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One after another in different regions. */
    private byte[] row(int number) {
        return Bytes.toBytes(String.format("%08x-%s", Integer.reverse(number), name));
    }

    private static byte[] value(int number) {
        return Bytes.toBytes("value of " + number);
    }
}
