package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tatami.auth.HadoopGroups;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import io.tatami.protocol.wire.ReadStatistic;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.jobhistory.EventWriter;
import org.apache.hadoop.mapreduce.jobhistory.HistoryEvent;
import org.apache.hadoop.mapreduce.jobhistory.MapAttemptFinishedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStartedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskStartedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Block servers of two hosts, readers on these and on a third host, and what the servers tell of the reads. */
final class LocalityTest {
    private static final String FIRST = "127.0.0.11";
    private static final String SECOND = "127.0.0.12";
    private static final String NOWHERE = "127.0.0.99";
    private static final long VOLUME_BYTES = 64L << 20;
    private static final int FILE_BYTES = 300_000;
    private static final Path FILE = new Path("/file");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String JOB = "1700000000000_0001";

    @TempDir
    private java.nio.file.Path directory;

    private StandaloneNode node;
    private BlockNode second;

    @BeforeEach
    void start() throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("first"), List.of(), VOLUME_BYTES, FIRST, 0, 1),
                Settings.defaults(),
                new HadoopGroups(new Configuration()));
        second = JoinedBlockServer.open(directory.resolve("second"), VOLUME_BYTES, SECOND, URI.create(node.uri()));
    }

    @AfterEach
    void stop() throws Exception {
        CallerContext.setCurrent(null);
        second.close();
        node.close();
    }

    private Configuration configuration(String host) {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", node.uri());
        configuration.set("tatami.client.host", host);
        return configuration;
    }

    private FileSystem on(String host) throws IOException {
        return FileSystem.newInstance(URI.create(node.uri()), configuration(host));
    }

    private static String attempt(int map) {
        return "attempt_" + JOB + "_m_00000" + map + "_0";
    }

    private static void callAs(String context) {
        CallerContext.setCurrent(new CallerContext.Builder(context).build());
    }

    private byte[] write(String host, int copies) throws IOException {
        byte[] content = new byte[FILE_BYTES];
        new Random(copies).nextBytes(content);
        try (FileSystem fs = on(host);
                FSDataOutputStream out = fs.create(FILE, true, 4096, (short) copies, 1 << 20)) {
            out.write(content);
        }
        return content;
    }

    private static byte[] read(FileSystem fs) throws IOException {
        try (FSDataInputStream in = fs.open(FILE)) {
            return in.readAllBytes();
        }
    }

    private byte[] read(String host, String context) throws IOException {
        callAs(context);
        try (FileSystem fs = on(host)) {
            return read(fs);
        }
    }

    private ReadStatisticsReport counted(String user, String context) throws IOException {
        try (TatamiClient client = client(user)) {
            return client.cluster()
                    .readStatistics(
                            ReadStatisticsRequest.newBuilder()
                                    .setContext(context)
                                    .build(),
                            PATIENCE);
        }
    }

    private TatamiClient client(String user) throws IOException {
        return TatamiClient.connect(URI.create(node.uri()).getAuthority(), UserIdentity.of(user), Settings.defaults());
    }

    private List<ReadStatistic> told(String context) throws IOException {
        return counted(System.getProperty("user.name"), context).servers().stream()
                .flatMap(server -> server.items().stream())
                .toList();
    }

    /** The bytes of a context, by reason. */
    private Map<Reason, Long> reasons(String context) throws IOException {
        Map<Reason, Long> bytes = new EnumMap<>(Reason.class);
        told(context)
                .forEach(item ->
                        bytes.merge(item.getReason(), item.getVolumeBytes() + item.getCachedBytes(), Long::sum));
        bytes.values().removeIf(each -> each == 0);
        return bytes;
    }

    @Test
    void placeOfTheReaderIsTold() throws Exception {
        byte[] content = write(FIRST, 1);
        assertArrayEquals(content, read(FIRST, "at the copy"));
        assertArrayEquals(content, read(SECOND, "beside another server"));
        assertArrayEquals(content, read(NOWHERE, "without a server"));

        assertEquals(Map.of(Reason.LOCAL, (long) FILE_BYTES), reasons("at the copy"));
        assertEquals(Map.of(Reason.NO_LOCAL_COPY, (long) FILE_BYTES), reasons("beside another server"));
        assertEquals(Map.of(Reason.NO_SERVER_ON_HOST, (long) FILE_BYTES), reasons("without a server"));
        ReadStatistic local = told("at the copy").get(0);
        assertEquals(Distance.HOST, local.getDistance());
        assertEquals(FIRST, local.getClientHost());
        assertEquals(System.getProperty("user.name"), local.getUser());
        assertTrue(local.getFileId() != 0);
        assertEquals(Distance.RACK, told("beside another server").get(0).getDistance());
        assertEquals(Distance.OTHER_RACK, told("without a server").get(0).getDistance());
    }

    @Test
    void deadServerOnTheReadersHostIsTheReason() throws Exception {
        byte[] content = write(SECOND, 2);
        second.close();
        assertArrayEquals(content, read(SECOND, "after the end"));
        assertEquals(Map.of(Reason.LOCAL_DEAD, (long) FILE_BYTES), reasons("after the end"));
    }

    @Test
    void damagedCopyOnTheReadersHostIsTheReason() throws Exception {
        byte[] content = write(SECOND, 2);
        FlippedBit.in(directory.resolve("second"), VOLUME_BYTES, content);
        assertArrayEquals(content, read(SECOND, "after the damage"));
        Map<Reason, Long> reasons = reasons("after the damage");
        assertTrue(reasons.getOrDefault(Reason.LOCAL_DAMAGED, 0L) > 0, reasons::toString);
    }

    @Test
    void streamKeepsTheContextOfTheThreadThatOpenedIt() throws Exception {
        byte[] content = write(FIRST, 1);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (FileSystem fs = on(FIRST)) {
            CountDownLatch opened = new CountDownLatch(2);
            Future<FSDataInputStream> one = threads.submit(() -> open(fs, "thread one", opened));
            Future<FSDataInputStream> two = threads.submit(() -> open(fs, "thread two", opened));
            callAs("the reader");
            try (FSDataInputStream in = one.get();
                    FSDataInputStream other = two.get()) {
                assertArrayEquals(content, in.readAllBytes());
                byte[] part = new byte[1_000];
                other.readFully(5, part);
                assertArrayEquals(Arrays.copyOfRange(content, 5, 1_005), part);
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(1, told("thread one").size());
        assertEquals(FILE_BYTES, told("thread one").get(0).getVolumeBytes());
        assertEquals(1, told("thread two").size());
        assertEquals(List.of(), told("the reader"));
    }

    private static FSDataInputStream open(FileSystem fs, String context, CountDownLatch opened)
            throws IOException, InterruptedException {
        callAs(context);
        FSDataInputStream in = fs.open(FILE);
        opened.countDown();
        opened.await();
        return in;
    }

    @Test
    void othersDoNotHearOfTheSuperusersReads() throws Exception {
        byte[] content = write(FIRST, 1);
        assertArrayEquals(content, read(FIRST, "secret"));
        ReadStatisticsReport others = counted("somebody", "secret");
        assertEquals(2, others.servers().size());
        assertTrue(others.servers().stream().allMatch(server -> server.items().isEmpty()));
        assertTrue(!others.ofAllUsers());
        assertTrue(counted(System.getProperty("user.name"), "secret").ofAllUsers());
    }

    @Test
    void serverThatDoesNotAnswerIsNamed() throws Exception {
        int gone = second.id().value();
        second.close();
        ReadStatisticsReport report = counted(System.getProperty("user.name"), "any");
        assertEquals(
                List.of(gone),
                report.silent().keySet().stream()
                        .map(BlockServerInfo::getServerId)
                        .toList());
        assertEquals(1, report.servers().size());
    }

    @Test
    void commandJoinsTheReadsOfAJobWithItsHistory() throws Exception {
        byte[] content = write(SECOND, 2);
        assertArrayEquals(content, read(SECOND, "mr_" + attempt(0)));
        FlippedBit.in(directory.resolve("second"), VOLUME_BYTES, content);
        assertArrayEquals(content, read(SECOND, "mr_" + attempt(1)));
        assertArrayEquals(content, read(NOWHERE, "mr_" + attempt(2)));
        assertArrayEquals(content, read(FIRST, "mr_attempt_" + JOB + "0_m_000000_0"));
        java.nio.file.Path history = history();

        String text = locality("--history", history.toUri().toString(), "application_" + JOB);

        assertTrue(text.contains("reads of the last day, as 2 block servers counted them, of all users"), text);
        assertTrue(text.contains("  local "), text);
        assertTrue(text.contains("no block server on the reader's host"), text);
        assertTrue(
                text.contains(attempt(1) + ": on " + SECOND + ", a host of its split (" + FIRST + ", " + SECOND
                        + "), but read remotely; "),
                text);
        assertTrue(text.contains("the local copy was damaged"), text);
        assertTrue(
                text.contains(attempt(2) + ": on " + NOWHERE + ", scheduled off its split's hosts (" + FIRST + ", "
                        + SECOND + "); "),
                text);
        assertTrue(!text.contains(attempt(0) + ": on"), text);
        assertTrue(!text.contains(JOB + "0_m"), text);
        assertTrue(text.contains(" of /file, by mr_" + attempt(2) + " on " + NOWHERE), text);
        String byPath = locality("/");
        assertTrue(byPath.contains(" of /file, by mr_" + attempt(2) + " on " + NOWHERE), byPath);
    }

    @Test
    void readsOfAJobNameItsFilesByTheirPathsAsFarAsTheseAreThere() throws Exception {
        assertArrayEquals(write(SECOND, 1), read(FIRST, "mr_" + attempt(0)));
        try (FileSystem fs = on(FIRST)) {
            assertTrue(fs.mkdirs(new Path("/below/it")));
            assertTrue(fs.rename(FILE, new Path("/below/it/moved")));
        }
        String moved = locality("application_" + JOB);
        assertTrue(moved.contains(" of /below/it/moved, by mr_" + attempt(0)), moved);
        try (FileSystem fs = on(FIRST)) {
            assertTrue(fs.delete(new Path("/below"), true));
        }
        String gone = locality("application_" + JOB);
        assertTrue(gone.contains(" of file "), gone);
    }

    /** Readers tell servers of which file a block is. */
    @Test
    void idsThatNoShardMintedHaveNoPath() throws Exception {
        FileId anyOfTheLastShard = FileId.of(GroupId.SHARDS_MAX - 1, 0, 5);
        try (TatamiClient client = client(System.getProperty("user.name"))) {
            assertEquals(
                    Map.of(),
                    client.cluster().paths(List.of(FileId.NONE, FileId.of(0, 0, 12_345), anyOfTheLastShard), PATIENCE));
        }
    }

    @Test
    void othersAreToldNoPathByAnId() throws Exception {
        assertArrayEquals(write(SECOND, 1), read(FIRST, "secret"));
        FileId file = new FileId(told("secret").get(0).getFileId());
        try (TatamiClient own = client(System.getProperty("user.name"));
                TatamiClient others = client("somebody")) {
            assertEquals(Map.of(file, TatamiPath.of("/file")), own.cluster().paths(List.of(file), PATIENCE));
            assertEquals(Map.of(), others.cluster().paths(List.of(file), PATIENCE));
        }
    }

    @Test
    void readsOfAnApplicationOfSparksOwnClusterAreFoundByItsName() throws Exception {
        byte[] content = write(SECOND, 1);
        assertArrayEquals(content, read(FIRST, "SPARK_TASK_app-20261129235959-0001_JId_0_SId_0_0_TId_3_0"));
        assertArrayEquals(content, read(FIRST, "SPARK_TASK_app-20261129235959-00010_JId_0_SId_0_0_TId_4_0"));
        String text = locality("app-20261129235959-0001");
        assertTrue(text.contains(" of /file, by SPARK_TASK_app-20261129235959-0001_JId_0_SId_0_0_TId_3_0"), text);
        assertTrue(!text.contains("TId_4"), text);
    }

    @Test
    void jsonHasWhatTheTextTells() throws Exception {
        byte[] content = write(SECOND, 2);
        assertArrayEquals(content, read(SECOND, "mr_" + attempt(0)));
        assertArrayEquals(content, read(NOWHERE, "mr_" + attempt(2)));
        java.nio.file.Path history = history();

        JsonNode json = json("--history", history.toUri().toString(), "--json", "application_" + JOB);

        assertEquals("application_" + JOB, json.get("subject").asText());
        assertTrue(json.get("all_users").asBoolean());
        assertTrue(json.get("all_files").asBoolean());
        assertEquals(FILE_BYTES, json.get("local").get("bytes").asLong());
        assertEquals(1, json.get("local").get("streams").asLong());
        assertEquals(0, json.get("rack").get("bytes").asLong());
        assertEquals(FILE_BYTES, json.get("remote").get("bytes").asLong());
        assertEquals(0, json.get("not_told").get("streams").asLong());
        assertEquals(0, json.get("cached_bytes").asLong());
        assertEquals(FILE_BYTES, json.get("reasons").get("local").get("bytes").asLong());
        assertEquals(
                FILE_BYTES,
                json.get("reasons").get("no_server_on_host").get("bytes").asLong());
        assertEquals(1, json.get("reads_from_other_hosts").asInt());
        JsonNode read = json.get("largest_reads_from_other_hosts").get(0);
        assertEquals("/file", read.get("path").asText());
        assertTrue(read.get("file_id").asLong() > 0);
        assertEquals(FILE_BYTES, read.get("volume_bytes").asLong());
        assertEquals("mr_" + attempt(2), read.get("caller_context").asText());
        assertEquals(NOWHERE, read.get("client_host").asText());
        assertEquals("remote", read.get("distance").asText());
        assertEquals("no_server_on_host", read.get("reason").asText());
        assertEquals(2, json.get("block_servers").size());
        assertEquals(0, json.get("block_servers_without_answer").size());
        assertEquals(new Path(history.toUri()).toString(), json.get("history").asText());
        JsonNode task = json.get("task_attempts").get(0);
        assertEquals(attempt(2), task.get("id").asText());
        assertTrue(task.get("in_history").asBoolean());
        assertTrue(!task.get("on_split_host").asBoolean());
        assertEquals(NOWHERE, task.get("host").asText());
        assertEquals(FIRST, task.get("split_hosts").get(0).asText());
        assertEquals(
                FILE_BYTES,
                task.get("reasons").get("no_server_on_host").get("bytes").asLong());
        assertEquals(
                0,
                json("--json", "--top", "0", "/")
                        .get("largest_reads_from_other_hosts")
                        .size());
    }

    private JsonNode json(String... words) throws IOException {
        return new ObjectMapper().readTree(locality(words));
    }

    /** @param words options of the command, and the subject as the last one */
    private String locality(String... words) throws IOException {
        List<String> all = List.of(words);
        int history = all.indexOf("--history");
        int top = all.indexOf("--top");
        StringWriter out = new StringWriter();
        TatamiLocality.print(
                configuration(FIRST),
                new TatamiLocality.Question(
                        all.get(all.size() - 1),
                        history < 0 ? null : all.get(history + 1),
                        top < 0 ? 20 : Integer.parseInt(all.get(top + 1)),
                        all.contains("--json")),
                new PrintWriter(out));
        return out.toString();
    }

    /** By Hadoop's own writer, of two maps with a split on both hosts. */
    private java.nio.file.Path history() throws Exception {
        java.nio.file.Path file = directory.resolve("job_" + JOB + "-1-user-name-2-1-1-SUCCEEDED-queue-1.jhist");
        Path path = new Path(file.toUri());
        EventWriter writer =
                new EventWriter(path.getFileSystem(new Configuration()).create(path), EventWriter.WriteMode.JSON);
        for (int map = 1; map <= 2; map++) {
            TaskAttemptID id = TaskAttemptID.forName(attempt(map));
            write(writer, new TaskStartedEvent(id.getTaskID(), 1, TaskType.MAP, FIRST + "," + SECOND));
            write(writer, new TaskAttemptStartedEvent(id, TaskType.MAP, 1, "tracker", 1, 1, "OFF_SWITCH", "VIRGIN"));
            write(
                    writer,
                    new MapAttemptFinishedEvent(
                            id,
                            TaskType.MAP,
                            "SUCCEEDED",
                            2,
                            2,
                            map == 1 ? SECOND : NOWHERE,
                            1,
                            "/default-rack",
                            "done",
                            new Counters(),
                            new int[4][0]));
        }
        writer.close();
        return file;
    }

    private static void write(EventWriter writer, HistoryEvent event) throws ReflectiveOperationException {
        Method write = EventWriter.class.getDeclaredMethod("write", HistoryEvent.class);
        write.setAccessible(true);
        write.invoke(writer, event);
    }
}
