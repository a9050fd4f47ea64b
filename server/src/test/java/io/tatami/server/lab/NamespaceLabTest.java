package io.tatami.server.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.Program;
import io.tatami.server.lab.host.RackSwitch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A lab with root's means: namespaces, links and disks that are the kernel's. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NamespaceLabTest {
    private static final Path BLKIO = Path.of("/sys/fs/cgroup/blkio");

    private Path temporary;
    private Path directory;
    private Lab lab;

    @BeforeAll
    void up(@TempDir Path made) throws Exception {
        assumeTrue(LabSpec.isRoot() && Program.isOnPath("tc"), "namespaces and links need root and iproute2");
        temporary = made;
        directory = made.resolve("lab");
        lab = Lab.up(LabSpec.of(directory, new LabSpec.Shape(3, 2, 1, 2), 512L << 20)
                .withLimits(LinkRate.parse("1gbit"), DiskRate.UNLIMITED)
                .withRackSwitches()
                .withJavaOptions(List.of("-XX:TieredStopAtLevel=1")));
    }

    @AfterAll
    void down() throws Exception {
        if (directory != null) {
            Lab.remove(directory);
            assertEquals(List.of(), Lab.leftovers(directory));
        }
    }

    @Test
    void nodesAreHostsWithNamesAndSharedMemoryOfTheirOwn() throws Exception {
        assertEquals("node2", TestJava.lastLine(lab, "node2", List.of("cat", "/proc/sys/kernel/hostname")));
        assertEquals(
                "wrote to [node2] shared true",
                TestJava.lastLine(lab, "node2", LabClient.command("write", "/of-node2")));
        assertEquals(
                "read the same from [node2] here false elsewhere true shared false",
                TestJava.lastLine(lab, "node1", LabClient.command("read", "/of-node2")));
    }

    @Test
    void aWipedVolumeComesBackAsANewServer() throws Exception {
        LabNode node = lab.node("node3");
        lab.kill(node, List.of(LabRole.BLOCK));
        lab.wipe(node);
        lab.start(node, List.of(LabRole.BLOCK));
        assertEquals(
                "wrote to [node3] shared true",
                TestJava.lastLine(lab, "node3", LabClient.command("write", "/of-node3")));
    }

    @Test
    void aFailedDiskHasAnEndUntilItIsWiped() throws Exception {
        LabNode node = lab.node("node3");
        String size = "blockdev --getsize64 " + lab.report(node).volume();
        List<String> ask = List.of("sh", "-c", size);
        String whole = TestJava.lastLine(lab, "node3", ask);
        lab.fail(node);
        assertEquals("4096", TestJava.lastLine(lab, "node3", ask));
        lab.kill(node, List.of(LabRole.BLOCK));
        lab.wipe(node);
        assertEquals(whole, TestJava.lastLine(lab, "node3", ask));
        lab.start(node, List.of(LabRole.BLOCK));
        assertEquals(
                "wrote to [node3] shared true",
                TestJava.lastLine(lab, "node3", LabClient.command("write", "/after-the-failure")));
    }

    @Test
    void aCutHasNothingArriveAndTellsNobody() throws Exception {
        try (LinkProbe first = new LinkProbe(lab, "node1");
                LinkProbe second = new LinkProbe(lab, "node2");
                LinkProbe third = new LinkProbe(lab, "node3")) {
            for (LinkProbe probe : List.of(first, second, third)) {
                probe.awaitReady();
            }
            assertEquals("open", first.connect("node2"));
            cutBothWays(first, second, third);
            cutOneWay(first, second);
        }
    }

    private void cutBothWays(LinkProbe first, LinkProbe second, LinkProbe third) throws Exception {
        LabNode node1 = lab.node("node1");
        lab.cut(node1, List.of(lab.node("node2")), Lab.Direction.BOTH);
        assertEquals(List.of(lab.node("node2")), lab.report(node1).cutSenders());
        assertEquals("silent", first.connect("node2"));
        assertEquals("silent", second.connect("node1"));
        assertEquals("open", first.connect("node3"));
        assertEquals("open", third.connect("node2"));
        lab.cut(lab.node("node3"), lab.nodes(), Lab.Direction.BOTH);
        assertEquals("silent", first.connect("node3"));
        assertEquals("silent", third.connect("node2"));
        lab.heal(lab.nodes());
        assertEquals(List.of(), lab.report(node1).cutSenders());
        assertEquals("open", second.connect("node1"));
        assertEquals("open", third.connect("node2"));
    }

    /** Datagrams of one sender do not overtake each other: what is not there before the next was lost. */
    private void cutOneWay(LinkProbe first, LinkProbe second) throws Exception {
        LabNode node1 = lab.node("node1");
        lab.cut(node1, List.of(lab.node("node2")), Lab.Direction.OUT);
        first.send("node2", "out-lost");
        second.send("node1", "out-arrives");
        first.awaitReceived("out-arrives");
        assertEquals("silent", second.connect("node1"), "the answer is lost");
        lab.heal(List.of(node1));
        lab.cut(node1, List.of(lab.node("node2")), Lab.Direction.IN);
        second.send("node1", "in-lost");
        first.send("node2", "in-arrives");
        second.awaitReceived("in-arrives");
        lab.heal(List.of(node1));
        second.send("node1", "last");
        first.awaitReceived("last");
        assertEquals("in-arrives", second.received());
        assertEquals("out-arrives,last", first.received());
    }

    @Test
    void aSlowLinkIsTheKernels() throws Exception {
        LabNode node = lab.node("node2");
        List<String> show = List.of("tc", "qdisc", "show", "dev", "eth0");
        assertTrue(TestJava.lastLine(lab, "node2", show).contains("rate 1Gbit"));
        lab.slow(node, LinkRate.parse("1mbit"));
        assertTrue(TestJava.lastLine(lab, "node2", show).contains("rate 1Mbit"));
        assertTrue(Program.run("tc", "qdisc", "show").lines().anyMatch(line -> line.contains("rate 1Mbit")));
        assertEquals("1mbit", lab.report(node).link().toString());
        assertTrue(TestJava.lastLine(lab, "node1", show).contains("rate 1Gbit"), "the others are as they were");
        lab.slow(node, LinkRate.UNLIMITED);
        assertFalse(TestJava.lastLine(lab, "node2", show).contains("tbf"));
    }

    @Test
    void aSlowUplinkIsTheKernelsAndNodesOfARackDoNotUseIt() throws Exception {
        assertEquals("/rack0 /rack1 /rack0", racks());
        lab.slowUplinks(LinkRate.parse("2mbit"));
        assertEquals("2mbit", lab.uplinkRate(0).toString());
        assertEquals("2mbit", lab.uplinkRate(1).toString());
        try (LinkProbe first = new LinkProbe(lab, "node1");
                LinkProbe second = new LinkProbe(lab, "node2");
                LinkProbe third = new LinkProbe(lab, "node3")) {
            for (LinkProbe probe : List.of(first, second, third)) {
                probe.awaitReady();
            }
            assertEquals("open", first.connect("node2"));
            Program.run("ip", "link", "set", uplink(0), "down");
            assertEquals("silent", first.connect("node2"));
            assertEquals("open", first.connect("node3"));
            Program.run("ip", "link", "set", uplink(0), "up");
        }
        lab.slowUplinks(LinkRate.UNLIMITED);
        assertEquals("off", lab.uplinkRate(0).toString());
    }

    private String racks() {
        return String.join(" ", lab.nodes().stream().map(LabNode::rack).toList());
    }

    private String uplink(int rack) {
        return RackSwitch.of(new LabDirectory(directory).prefix(), rack).lower();
    }

    @Test
    void aSlowDiskIsTheKernels() throws Exception {
        assumeTrue(DiskRate.isAvailable(), "disks are slowed down by cgroup v1");
        LabNode node = lab.node("node2");
        String device = String.valueOf(lab.report(node).volume().getFileName());
        String limit = Files.readString(Path.of("/sys/block", device, "dev")).strip() + " 5000000";
        lab.slow(node, DiskRate.parse("5MB"));
        for (String file : List.of("blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device")) {
            assertTrue(Files.readAllLines(BLKIO.resolve(file)).contains(limit), file);
        }
        assertEquals("5MB", lab.report(node).disk().toString());
        lab.slow(node, DiskRate.UNLIMITED);
        assertFalse(Files.readAllLines(BLKIO.resolve("blkio.throttle.write_bps_device"))
                .contains(limit));
    }

    @Test
    void whatDownLooksForIsWhatALabHas() throws Exception {
        Map<String, Long> kinds = Lab.leftovers(directory).stream()
                .collect(Collectors.groupingBy(
                        left -> left.substring(0, left.lastIndexOf(' ')), TreeMap::new, Collectors.counting()));
        kinds.remove("process");
        assertEquals(Map.of("directory", 1L, "link", 10L, "loop device", 3L, "namespace", 3L), kinds);
    }

    @Test
    void downTakesAwayWhatAKilledUpHasLeft() throws Exception {
        KilledUp.assertGoneAfterDown(temporary.resolve("killed"), "loop device", "--rate", "1gbit");
    }
}
