package io.tatami.benchmarks.workload.locality;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;

/**
 * Where the maps of jobs ran, by the jobs' own counters.
 *
 * @param launched maps, attempts that were repeated included
 * @param nodeLocal of these, on a host of their split
 * @param rackLocal on another host of a rack of their split
 * @param elsewhere of splits that name hosts, on neither
 */
record MapPlaces(long launched, long nodeLocal, long rackLocal, long elsewhere) {
    static final MapPlaces NONE = new MapPlaces(0, 0, 0, 0);

    private static final int TRIES = 60;
    private static final long PAUSE_MILLIS = 500;

    MapPlaces plus(MapPlaces other) {
        return new MapPlaces(
                launched + other.launched,
                nodeLocal + other.nodeLocal,
                rackLocal + other.rackLocal,
                elsewhere + other.elsewhere);
    }

    /** The part of the maps that were on a host of their split; 0 where there were none. */
    double nodeLocalPart() {
        return launched == 0 ? 0 : (double) nodeLocal / launched;
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return launched + " " + nodeLocal + " " + rackLocal + " " + elsewhere;
    }

    static MapPlaces parse(String text) {
        String[] words = text.split(" ", -1);
        return new MapPlaces(
                Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    /** A job that has ended. */
    record Ended(JobID job, MapPlaces places) {}

    /** Finds the job that has ended since a look at all. */
    static final class Watch implements AutoCloseable {
        private final Cluster cluster;
        private final Set<JobID> seen = new HashSet<>();

        Watch(Configuration configuration) throws IOException, InterruptedException {
            cluster = new Cluster(configuration);
            for (JobStatus status : cluster.getAllJobStatuses()) {
                seen.add(status.getJobID());
            }
        }

        /** @throws IOException also where no job has ended, or more than one */
        Ended ended() throws IOException, InterruptedException {
            List<JobID> jobs = new ArrayList<>();
            for (JobStatus status : cluster.getAllJobStatuses()) {
                if (seen.add(status.getJobID())) {
                    jobs.add(status.getJobID());
                }
            }
            if (jobs.size() != 1) {
                throw new IOException("one job was to end, and these did: " + jobs);
            }
            return new Ended(jobs.get(0), of(jobs.get(0)));
        }

        /** The history server knows of a job some moments after its end. */
        private MapPlaces of(JobID id) throws IOException, InterruptedException {
            for (int i = 0; i < TRIES; i++) {
                Job job = cluster.getJob(id);
                Counters counters = job == null ? null : job.getCounters();
                if (counters != null && value(counters, JobCounter.TOTAL_LAUNCHED_MAPS) > 0) {
                    return new MapPlaces(
                            value(counters, JobCounter.TOTAL_LAUNCHED_MAPS),
                            value(counters, JobCounter.DATA_LOCAL_MAPS),
                            value(counters, JobCounter.RACK_LOCAL_MAPS),
                            value(counters, JobCounter.OTHER_LOCAL_MAPS));
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            throw new IOException("the counters of " + id + " did not come; look at the history server's log");
        }

        private static long value(Counters counters, JobCounter counter) {
            return counters.findCounter(counter).getValue();
        }

        @Override
        public void close() throws IOException {
            cluster.close();
        }
    }
}
