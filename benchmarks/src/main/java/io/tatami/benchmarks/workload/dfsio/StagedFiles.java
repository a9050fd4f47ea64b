package io.tatami.benchmarks.workload.dfsio;

import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.TatamiFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What TestDFSIO wrote, as copies in the cache tier of a Tatami. */
final class StagedFiles {
    private static final Path DATA = new Path("/benchmarks/TestDFSIO/io_data");
    private static final long LOOK_MILLIS = 100;

    private StagedFiles() {}

    /** Asks for all of it, and returns when it is there. It stays when it is read. */
    static void await(Peer peer) throws IOException, InterruptedException {
        try (FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            TatamiFileSystem tatami = (TatamiFileSystem) fs;
            List<AccessPlan.Read> reads = new ArrayList<>();
            for (FileStatus file : fs.listStatus(DATA)) {
                reads.add(tatami.planned(file.getPath()));
            }
            AccessPlan plan = AccessPlan.inOrder(reads);
            tatami.prefetch(plan);
            AccessPlan.Progress now = tatami.planProgress(plan.id());
            while (now.remainingBytes() > 0) {
                Thread.sleep(LOOK_MILLIS);
                now = tatami.planProgress(plan.id());
            }
            if (now.failedBytes() > 0) {
                throw new IOException(now.failedBytes() + " bytes of " + DATA + " could not be staged");
            }
        }
    }
}
