package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.GroupStatusReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A directory becomes so large that it is divided over all shards, while it is filled, listed and cleared in part. */
class WideDirectoryTest {
    private static final int WRITERS = 6;
    private static final int PAUSE_MILLIS = 100;
    private static final Path TOP = new Path("/WideDirectoryTest");

    private final TatamiCluster cluster = TatamiCluster.shared();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicBoolean filled = new AtomicBoolean();

    /** Names that are there for good once they are in here. */
    private final Set<String> there = new ConcurrentSkipListSet<>();

    @Test
    @Timeout(300)
    void showsEveryFileOnceWhileItIsDividedAndAfterwards() throws Exception {
        fillAndCheck(4_000);
    }

    @Test
    @Tag("soak")
    @Timeout(600)
    void showsEveryFileOnceWhereThereAreMany() throws Exception {
        fillAndCheck(12_000);
    }

    private void fillAndCheck(int files) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
        try (TatamiFileSystem fs = cluster.newFileSystem(cluster.configuration());
                TatamiClient client = connect()) {
            List<Long> before = filesByShard(client);
            assertTrue(fs.mkdirs(TOP));
            Future<Integer> listings = threads.submit(() -> listUntilFilled(fs));
            List<Future<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(threads.submit(() -> fill(fs, files)));
            }
            for (Future<Void> writer : writers) {
                Void unused = writer.get();
            }
            filled.set(true);
            assertTrue(listings.get() > 0);
            awaitDivided(fs, client, before, files / 8);
            assertEquals(there, names(fs));
            assertEquals(files - files / 10, there.size());
            awaitClean(client);
            assertTrue(fs.delete(TOP, true));
        } finally {
            threads.shutdownNow();
        }
    }

    /** Every tenth file is deleted again at once. */
    private Void fill(TatamiFileSystem fs, int files) throws IOException {
        for (int i = next.getAndIncrement(); i < files; i = next.getAndIncrement()) {
            String name = "part-" + i;
            fs.create(new Path(TOP, name), false).close();
            if (i % 10 == 3) {
                assertTrue(fs.delete(new Path(TOP, name), false));
            } else {
                there.add(name);
            }
        }
        return null;
    }

    private int listUntilFilled(TatamiFileSystem fs) throws IOException, InterruptedException {
        int listings = 0;
        while (!filled.get()) {
            Set<String> missing = new TreeSet<>(there);
            missing.removeAll(names(fs));
            assertEquals(Set.of(), missing, "not in a listing");
            listings++;
            Thread.sleep(PAUSE_MILLIS);
        }
        return listings;
    }

    private static Set<String> names(TatamiFileSystem fs) throws IOException {
        Set<String> names = new TreeSet<>();
        RemoteIterator<FileStatus> listing = fs.listStatusIterator(TOP);
        while (listing.hasNext()) {
            String name = listing.next().getPath().getName();
            assertTrue(names.add(name), name + " is listed twice");
        }
        return names;
    }

    private TatamiClient connect() throws IOException {
        UserIdentity user =
                UserIdentity.of(UserGroupInformation.getCurrentUser().getShortUserName());
        return TatamiClient.connect(cluster.uri().getAuthority(), user, Settings.defaults());
    }

    private static List<Long> filesByShard(TatamiClient client) throws IOException {
        List<Long> files = new ArrayList<>();
        for (GroupState group : client.cluster().status().groups()) {
            GroupStatusReply status = group.status();
            if (status != null && !group.group().equals(GroupId.NAMESPACE)) {
                files.add(status.getFiles());
            }
        }
        return files;
    }

    /** Until every shard has its part; each file counts once all the time. */
    private void awaitDivided(TatamiFileSystem fs, TatamiClient client, List<Long> before, int atLeast)
            throws Exception {
        boolean divided = false;
        while (!divided) {
            assertEquals(there.size(), fs.getContentSummary(TOP).getFileCount());
            Thread.sleep(PAUSE_MILLIS);
            List<Long> now = filesByShard(client);
            divided = now.size() == before.size();
            for (int i = 0; divided && i < now.size(); i++) {
                divided = now.get(i) - before.get(i) >= atLeast;
            }
        }
    }

    /** What homes are told of names that have moved takes a moment to reach them. */
    private void awaitClean(TatamiClient client) throws Exception {
        TatamiPath top = TatamiPath.of(TOP.toUri().getPath());
        FsckReport report = client.cluster().fsck(top);
        while (!report.findings().isEmpty()) {
            Thread.sleep(PAUSE_MILLIS);
            report = client.cluster().fsck(top);
        }
        assertEquals(there.size(), report.files());
    }
}
