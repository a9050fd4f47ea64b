package io.tatami.benchmarks.harness.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HDFS beside Tatami on the nodes of a lab, which needs root; clients of both are Hadoop's. */
class LabHdfsTest {
    @TempDir
    private Path temporary;

    private Path lab() {
        return temporary.resolve("lab");
    }

    @AfterEach
    void down() throws Exception {
        Lab.remove(lab());
        assertEquals(List.of(), Lab.leftovers(lab()));
    }

    @Test
    void bothFileSystemsAreWrittenByHadoopsClientsAndHdfsLiesOnADiskOfTheNode() throws Exception {
        assumeTrue(
                LabSpec.isRoot() && Program.isOnPath("tc") && Program.isOnPath("mkfs.ext4"),
                "namespaces and file systems need root, iproute2 and e2fsprogs");
        Lab lab = Lab.up(LabSpec.of(lab(), new LabSpec.Shape(1, 1, 1, 1), 512L << 20)
                .withHdfs()
                .withJavaOptions(List.of("-XX:TieredStopAtLevel=1")));
        Path file = Files.writeString(temporary.resolve("file"), "a line".repeat(10_000));

        shell(lab, lab.node("node1").clientConfiguration(), "-put", file.toString(), "/");
        shell(lab, lab.hdfsConfiguration(), "-put", file.toString(), "/");

        String blocks = run(lab, List.of("find", lab.hdfsMount().toString(), "-name", "blk_*"));
        assertTrue(blocks.contains("/finalized/"), blocks);
        assertTrue(run(lab, List.of("df", "--output=source", lab.hdfsMount().toString()))
                .contains("/dev/loop"));
        try (Stream<Path> outside = Files.list(lab.hdfsMount())) {
            assertFalse(outside.findAny().isPresent(), "the disk is in the node's mount namespace alone");
        }
    }

    private static void shell(Lab lab, Path configuration, String... words) throws Exception {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx128m",
                                "-XX:TieredStopAtLevel=1",
                                "-Dhadoop.root.logger=WARN,console",
                                "-cp",
                                configuration + ":" + System.getProperty("java.class.path"),
                                "org.apache.hadoop.fs.FsShell"),
                        Stream.of(words))
                .toList();
        run(lab, command);
    }

    private static String run(Lab lab, List<String> command) throws Exception {
        Process process = lab.command(lab.node("node1"), command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed: " + output);
        }
        return output;
    }
}
