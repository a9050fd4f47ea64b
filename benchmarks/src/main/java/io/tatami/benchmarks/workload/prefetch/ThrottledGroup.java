package io.tatami.benchmarks.workload.prefetch;

import io.tatami.benchmarks.harness.host.ControlGroup;
import io.tatami.benchmarks.harness.host.LoopDevice;
import java.io.IOException;

/** A control group whose processes read and write given devices no faster than given speeds. Needs root. */
final class ThrottledGroup implements AutoCloseable {
    private static final String CONTROLLER = "blkio";

    private final ControlGroup group;

    private ThrottledGroup(ControlGroup group) {
        this.group = group;
    }

    /** Whether this machine has the controller, and this process may use it. */
    static boolean isAvailable() {
        return ControlGroup.isAvailable(CONTROLLER);
    }

    static ThrottledGroup make(String name) throws IOException {
        return new ThrottledGroup(ControlGroup.make(CONTROLLER, name));
    }

    /** From now on, for processes that are in the group or come into it. */
    void limit(LoopDevice device, long bytesPerSecond) throws IOException {
        String rule = device.setting("dev") + " " + bytesPerSecond;
        group.write("blkio.throttle.read_bps_device", rule);
        group.write("blkio.throttle.write_bps_device", rule);
    }

    /** Puts a process with all its threads into the group. */
    void add(ProcessHandle process) throws IOException {
        group.add(process);
    }

    /** Its processes go back to the group above. */
    @Override
    public void close() throws IOException {
        group.close();
    }
}
