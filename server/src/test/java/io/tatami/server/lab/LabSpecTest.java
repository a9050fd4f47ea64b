package io.tatami.server.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LabSpecTest {
    private static final Path DIRECTORY = Path.of("/tmp/lab");
    private static final long CAPACITY = 1L << 30;

    private static LabSpec shaped(int nodes, int racks, int metadataServers, int shards) {
        return LabSpec.of(DIRECTORY, new LabSpec.Shape(nodes, racks, metadataServers, shards), CAPACITY);
    }

    private static void assertRefused(LabSpec spec, String word) {
        assertRefusal(word, assertThrows(TatamiException.class, spec::check));
    }

    private static void assertRefusal(String word, TatamiException refusal) {
        assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal::getMessage);
    }

    @Test
    void countsOutOfRangeAreRefusedByName() throws Exception {
        shaped(16, 16, 15, 256).check();
        assertRefused(shaped(0, 1, 1, 4), "--nodes is 0");
        assertRefused(shaped(17, 2, 1, 4), "--nodes is 17; write a number from 1 to 16");
        assertRefused(shaped(4, 5, 1, 4), "--racks is 5; write a number from 1 to 4");
        assertRefused(shaped(4, 2, 5, 4), "--metadata is 5");
        assertRefused(shaped(4, 2, 2, 4), "write an odd number");
        assertRefused(shaped(4, 2, 1, 3), "power of two");
        assertRefused(LabSpec.of(DIRECTORY, new LabSpec.Shape(1, 1, 1, 1), 1 << 20), "--capacity is 1048576 bytes");
        assertRefused(LabSpec.of(Path.of("/tmp/a lab"), new LabSpec.Shape(1, 1, 1, 1), CAPACITY), "white space");
    }

    @Test
    void nodesOfHdfsAloneHaveNoServerOfTatami() {
        LabSpec spec = shaped(2, 1, 1, 1).withHdfsAlone();
        assertEquals(
                List.of(List.of(LabRole.NAMENODE, LabRole.DATANODE), List.of(LabRole.DATANODE)),
                spec.nodes().stream().map(LabNode::roles).toList());
    }

    @Test
    void nodesAreDealtOutToRacksAndTheFirstHaveTheMetadata() {
        LabSpec spec = shaped(4, 2, 3, 4);
        assertEquals(
                "/rack0 /rack1 /rack0 /rack1",
                String.join(" ", spec.nodes().stream().map(LabNode::rack).toList()));
        assertEquals(
                "true true true false",
                String.join(
                        " ",
                        spec.nodes().stream()
                                .map(node -> Boolean.toString(node.roles().contains(LabRole.METADATA)))
                                .toList()));
        assertEquals("127.0.0.14", spec.onLoopback().nodes().get(3).address());
    }

    @Test
    void ratesAreReadAndWrittenAlike() throws Exception {
        for (String text : new String[] {"off", "512kbit", "1500kbit", "1mbit", "1gbit"}) {
            assertEquals(text, LinkRate.parse(text).toString());
        }
        assertEquals(1_000_000_000, LinkRate.parse("1Gbit").bitsPerSecond());
        for (String text : new String[] {"off", "500kB", "5MB", "1000MB"}) {
            assertEquals(text, DiskRate.parse(text).toString());
        }
        assertEquals(1_000_000_000, DiskRate.parse("1GB").bytesPerSecond());
    }

    @Test
    void ratesThatAreNoneAreRefused() {
        for (String text : new String[] {"", "fast", "1", "1mb", "7bit", "101gbit"}) {
            assertRefusal("1gbit", assertThrows(TatamiException.class, () -> LinkRate.parse(text)));
        }
        for (String text : new String[] {"", "5", "5mbit", "1kB", "101GB"}) {
            assertRefusal("5MB", assertThrows(TatamiException.class, () -> DiskRate.parse(text)));
        }
    }

    @Test
    void aLabThatWouldNotFitOnTheDiskIsNotBegun() throws Exception {
        Path directory = Path.of(System.getProperty("java.io.tmpdir")).resolve("too-large-a-lab");
        LabSpec spec =
                LabSpec.of(directory, new LabSpec.Shape(16, 1, 1, 1), 1L << 40).onLoopback();
        TatamiException refusal = assertThrows(TatamiException.class, () -> Lab.up(spec));
        assertEquals(ErrorCode.NO_SPACE, refusal.code());
        assertTrue(Lab.leftovers(directory).isEmpty());
    }
}
