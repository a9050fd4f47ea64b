package io.tatami.benchmarks.harness.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlockRequestTest {
    @Test
    void aLineOfTheTraceHasTimeKindPlaceAndWhoGaveIt() {
        BlockRequest request = BlockRequest.parse(" volume-loop3-io-812     [001] .....  1234.567891: block_rq_issue:"
                        + " 7,3 R 1048576 () 4096 + 2048 none,0,0 [volume-loop3-io]")
                .orElseThrow();
        assertEquals(new BlockRequest(1234.567891, "R", 4096, 2048, "volume-loop3-io"), request);
        assertTrue(request.isRead());
        assertEquals(6144, request.end());
        assertEquals(1 << 20, request.bytes());
    }

    @Test
    void namesOfThreadsMayHaveSpacesAndBracketsAndOlderKernelsHaveNoPriority() {
        assertEquals(
                "a [b] c",
                BlockRequest.parse("  a [b] c-7  [000] d..1. 5.000001: block_rq_issue: 7,0 RA 4096 () 8 + 8 [a [b] c]")
                        .orElseThrow()
                        .process());
    }

    @Test
    void aFlushHasNoPlaceAndIsNoRead() {
        BlockRequest flush = BlockRequest.parse(
                        " kworker/0:1H-9 [000] ..... 7.5: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]")
                .orElseThrow();
        assertFalse(flush.isRead());
        assertEquals(0, flush.bytes());
    }

    @Test
    void whatTellsOfSomethingElseIsPassedOver() {
        assertEquals(Optional.empty(), BlockRequest.parse("# tracer: nop"));
        assertEquals(Optional.empty(), BlockRequest.parse("CPU:1 [LOST 12 EVENTS]"));
        assertEquals(
                Optional.empty(),
                BlockRequest.parse(" java-9 [000] ..... 7.5: block_rq_complete: 7,0 R () 8 + 8 none,0,0 [0]"));
    }
}
