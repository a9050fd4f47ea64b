package io.tatami.hadoop.call;

import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.convert.PathConverter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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

    /** The same listing, which is planned when it was read to its end. */
    public RemoteIterator<LocatedFileStatus> planned(RemoteIterator<LocatedFileStatus> listing, TatamiCalls calls) {
        return enabled ? new Planned(listing, calls) : listing;
    }

    private static final class Planned implements RemoteIterator<LocatedFileStatus> {
        private final RemoteIterator<LocatedFileStatus> listing;
        private final TatamiCalls calls;
        private final List<Split> splits = new ArrayList<>();
        private boolean ended;

        private record Split(LocatedFileStatus file, BlockLocation block) {}

        Planned(RemoteIterator<LocatedFileStatus> listing, TatamiCalls calls) {
            this.listing = listing;
            this.calls = calls;
        }

        @Override
        public boolean hasNext() throws IOException {
            boolean hasNext = listing.hasNext();
            if (!hasNext && !ended) {
                ended = true;
                plan();
            }
            return hasNext;
        }

        @Override
        public LocatedFileStatus next() throws IOException {
            LocatedFileStatus file = listing.next();
            if (file.isFile() && !isHidden(file.getPath()) && file.getBlockLocations() != null) {
                for (BlockLocation block : file.getBlockLocations()) {
                    splits.add(new Split(file, block));
                }
            }
            return file;
        }

        /** What FileInputFormat takes for none of a job's input. */
        private static boolean isHidden(Path file) {
            return file.getName().startsWith("_") || file.getName().startsWith(".");
        }

        private void plan() {
            if (splits.isEmpty()) {
                return;
            }
            splits.sort(Comparator.comparingLong((Split split) -> -split.block().getLength()));
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
                calls.client().prefetch(plan);
                LOG.info("planned {} splits as {}", reads.size(), plan.id());
            } catch (IOException e) {
                LOG.warn("the job's input is not prefetched: {}", e.getMessage());
            }
        }
    }
}
