package io.tatami.benchmarks.workload.affinity;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;

/** The file of one task. Not changed but by {@link #readFields}. */
public final class AffinitySplit extends InputSplit implements Writable {
    private int number;
    private long bytes;
    private List<String> hosts = List.of();
    private boolean isLocated;

    /** For {@link #readFields}. */
    public AffinitySplit() {}

    /**
     * A split of a file.
     *
     * @param hosts that have the file
     * @param isLocated whether the scheduler is told these
     */
    AffinitySplit(int number, long bytes, List<String> hosts, boolean isLocated) {
        this.number = number;
        this.bytes = bytes;
        this.hosts = List.copyOf(hosts);
        this.isLocated = isLocated;
    }

    /**
     * One for each task, in random order: the order of the nodes' heartbeats would else have something to do with it.
     *
     * @param hosts by numbers of tasks
     */
    static List<AffinitySplit> all(
            int tasks, long bytes, IntFunction<List<String>> hosts, boolean isLocated, Random random) {
        List<AffinitySplit> splits = new ArrayList<>();
        for (int number = 0; number < tasks; number++) {
            splits.add(new AffinitySplit(number, bytes, hosts.apply(number), isLocated));
        }
        Collections.shuffle(splits, random);
        return splits;
    }

    int number() {
        return number;
    }

    List<String> hosts() {
        return hosts;
    }

    @Override
    public long getLength() {
        return bytes;
    }

    /** What the scheduler is told. */
    @Override
    public String[] getLocations() {
        return isLocated ? hosts.toArray(String[]::new) : new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeInt(number);
        out.writeLong(bytes);
        out.writeBoolean(isLocated);
        out.writeInt(hosts.size());
        for (String host : hosts) {
            out.writeUTF(host);
        }
    }

    @Override
    public void readFields(DataInput in) throws IOException {
        number = in.readInt();
        bytes = in.readLong();
        isLocated = in.readBoolean();
        List<String> read = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            read.add(in.readUTF());
        }
        hosts = List.copyOf(read);
    }
}
