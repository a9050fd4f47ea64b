package io.tatami.hadoop.call;

import io.tatami.base.ServerId;
import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.convert.PathConverter;
import io.tatami.hadoop.convert.StatusConverter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the input of MapReduce jobs whose configuration asks for it, with no code of ours in the job: a job's input
 * format lists its files with their locations, makes a split of each block, and the framework runs the splits in the
 * order of their lengths, the longest first, equal ones as listed. The plan has that order, and like the stock input
 * formats leaves out files whose names begin with {@code _} or {@code .}. A hint: a failure is logged and changes
 * nothing.
 */
public final class InputPlanner {
    /** Whether what is listed with locations is planned. */
    static final String ENABLED = "fs.tatami.prefetch.input";

    private static final Duration KEEP = Duration.ofMinutes(30);
    private static final Logger LOG = LoggerFactory.getLogger(InputPlanner.class);

    private final boolean enabled;

    public InputPlanner(Configuration configuration) {
        this.enabled = configuration.getBoolean(ENABLED, false);
    }

    /**
     * The same listing, which is read to its end and planned before its first entry is given. The locations of a block
     * name only the host that will have it staged: MapReduce gives YARN the hosts of a split and does not tell which of
     * them have it cached, so that with all hosts most tasks would read another copy, and what was staged would be of
     * no use.
     */
    public RemoteIterator<LocatedFileStatus> planned(RemoteIterator<LocatedFileStatus> listing, TatamiCalls calls) {
        return enabled ? new Planned(listing, calls) : listing;
    }

    private static final class Planned implements RemoteIterator<LocatedFileStatus> {
        private final RemoteIterator<LocatedFileStatus> listing;
        private final TatamiCalls calls;
        private final Deque<LocatedFileStatus> files = new ArrayDeque<>();
        private boolean ended;

        /** @param index of the block among those of the file */
        private record Split(LocatedFileStatus file, int index) {
            BlockLocation block() {
                return file.getBlockLocations()[index];
            }
        }

        Planned(RemoteIterator<LocatedFileStatus> listing, TatamiCalls calls) {
            this.listing = listing;
            this.calls = calls;
        }

        @Override
        public boolean hasNext() throws IOException {
            if (!ended) {
                while (listing.hasNext()) {
                    files.add(listing.next());
                }
                ended = true;
                plan();
            }
            return !files.isEmpty();
        }

        @Override
        public LocatedFileStatus next() throws IOException {
            return hasNext() ? files.remove() : listing.next();
        }

        /** What FileInputFormat takes for none of a job's input. */
        private static boolean isHidden(Path file) {
            return file.getName().startsWith("_") || file.getName().startsWith(".");
        }

        private List<Split> splits() {
            List<Split> splits = new ArrayList<>();
            for (LocatedFileStatus file : files) {
                if (file.isFile() && !isHidden(file.getPath()) && file.getBlockLocations() != null) {
                    for (int block = 0; block < file.getBlockLocations().length; block++) {
                        splits.add(new Split(file, block));
                    }
                }
            }
            splits.sort(Comparator.comparingLong((Split split) -> -split.block().getLength()));
            return splits;
        }

        private void plan() {
            List<Split> splits = splits();
            if (splits.isEmpty()) {
                return;
            }
            try {
                List<AccessPlan.Read> reads = new ArrayList<>(splits.size());
                for (Split split : splits) {
                    reads.add(new AccessPlan.Read(
                            PathConverter.path(split.file().getPath()),
                            split.block().getOffset(),
                            split.block().getLength()));
                }
                AccessPlan plan =
                        AccessPlan.inOrder(reads).withReleaseAfterRead().withKeep(KEEP);
                List<Set<ServerId>> places = calls.client().prefetch(plan);
                for (int i = 0; i < places.size(); i++) {
                    Split split = splits.get(i);
                    // The array is the status's own.
                    split.file().getBlockLocations()[split.index()] =
                            StatusConverter.stagedOn(places.get(i), split.block());
                }
                LOG.info("planned {} splits as {}", reads.size(), plan.id());
            } catch (IOException e) {
                LOG.warn("the job's input is not prefetched: {}", e.getMessage());
            }
        }
    }
}
