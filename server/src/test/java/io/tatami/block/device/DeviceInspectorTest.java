package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceInspectorTest {
    @TempDir
    private Path directory;

    private Path disk = Path.of("");
    private DeviceInspector inspector = new DeviceInspector();

    @BeforeEach
    void makeDiskAndSystem() throws IOException {
        disk = directory.toRealPath().resolve("disk");
        Files.write(disk, new byte[Signature.PROBE_BYTES]);
        Files.createDirectories(directory.resolve("proc"));
        inspector = new DeviceInspector(directory.resolve("proc"), directory.resolve("sys"));
    }

    @Test
    void aBlankDiskIsFree() throws TatamiException {
        DeviceInspector.Findings findings = inspector.inspect(disk);

        assertEquals(new DeviceInspector.Findings(List.of(), List.of()), findings);
        findings.refuse(disk, false);
    }

    @Test
    void everyKnownMarkIsFoundAndOverriddenOnlyByForce() throws Exception {
        for (Signature signature : Signature.KNOWN) {
            byte[] head = new byte[Signature.PROBE_BYTES];
            System.arraycopy(signature.mark(), 0, head, signature.offsetBytes(), signature.mark().length);
            Files.write(disk, head);

            DeviceInspector.Findings findings = inspector.inspect(disk);

            assertEquals(List.of("holds " + signature.owner()), findings.contents());
            TatamiException refused = assertThrows(TatamiException.class, () -> findings.refuse(disk, false));
            assertEquals(ErrorCode.ALREADY_EXISTS, refused.code());
            findings.refuse(disk, true);
        }
    }

    @Test
    void aMountedOrSwappedDiskIsRefusedEvenByForce() throws Exception {
        Files.writeString(
                directory.resolve("proc/mounts"), "proc /proc proc rw 0 0\n" + disk + " /data ext4 rw,noatime 0 0\n");
        Files.writeString(directory.resolve("proc/swaps"), "Filename Type\n" + disk + "   partition 1 0 -2\n");

        DeviceInspector.Findings findings = inspector.inspect(disk);

        assertEquals(2, findings.uses().size());
        TatamiException refused = assertThrows(TatamiException.class, () -> findings.refuse(disk, true));
        assertEquals(ErrorCode.IN_USE, refused.code());
        assertTrue(refused.toString().contains("is mounted on /data"), refused.toString());
    }

    @Test
    void aRealFormattedLoopDeviceIsRefused() throws Exception {
        Path backing = directory.resolve("backing");
        VolumeFile.create(backing, 16 << 20);
        try (LoopDevice loop = LoopDevice.attach(backing)) {
            Process mkfs = new ProcessBuilder("mkfs.ext4", "-q", loop.path().toString())
                    .redirectErrorStream(true)
                    .start();
            assertEquals(0, mkfs.waitFor());

            assertEquals(
                    List.of("holds an ext2, ext3 or ext4 file system"),
                    new DeviceInspector().inspect(loop.path()).contents());
        }
    }
}
