package io.tatami.benchmarks.harness.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device and the kernel's trace of it, for real; skipped, with the reason, where they cannot be had. */
class LoopDeviceTest {
    private static final int MEBIBYTES = 16;

    private final Undo undo = new Undo();

    @TempDir
    private Path directory;

    @AfterEach
    void undo() {
        undo.run();
    }

    @Test
    void aDeviceGoesPastThePageCacheAndLeavesNoFile() throws Exception {
        LoopDevice device = attach();
        assertEquals("1", device.setting("loop/dio"));
        assertEquals(MEBIBYTES * 2048L, Long.parseLong(device.setting("size")));
        undo.run();
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
        assertFalse(Program.run("losetup", "--all").contains(directory.toString()));
    }

    @Test
    void theTraceHasEachByteThatIsReadAndNothingElse() throws Exception {
        LoopDevice device = attach();
        BlockTrace trace = openTrace();
        AddressTrail whole = trail(device, trace, "if=" + device.path(), "of=/dev/null", "iflag=direct", "bs=4M");
        assertEquals(List.of(), whole.foreign((long) MEBIBYTES << 20));
        assertEquals(0, whole.jumps());

        AddressTrail part =
                trail(device, trace, "if=" + device.path(), "of=/dev/null", "iflag=direct", "bs=1M", "count=3");
        assertEquals(3 << 20, part.distinctBytesRead());
    }

    @Test
    void theTraceTellsAWriteAmongReads() throws Exception {
        LoopDevice device = attach();
        AddressTrail trail =
                trail(device, openTrace(), "if=/dev/zero", "of=" + device.path(), "oflag=direct", "bs=4k", "count=1");
        assertEquals("1 requests that are no reads", trail.foreign(0).get(0));
    }

    private LoopDevice attach() throws InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "loop devices need root");
        try {
            LoopDevice device = LoopDevice.attach(directory.resolve("device"), MEBIBYTES);
            undo.add(device::close);
            return device;
        } catch (IOException e) {
            return abort("no loop device: " + e.getMessage());
        }
    }

    private BlockTrace openTrace() throws InterruptedException {
        try {
            return BlockTrace.open(undo);
        } catch (IOException e) {
            return abort("no trace of block devices: " + e.getMessage());
        }
    }

    private static AddressTrail trail(LoopDevice device, BlockTrace trace, String... arguments)
            throws IOException, InterruptedException {
        String[] command = Stream.concat(Stream.of("dd"), Stream.of(arguments)).toArray(String[]::new);
        return new AddressTrail(trace.record(device.number(), () -> Program.run(command)));
    }
}
