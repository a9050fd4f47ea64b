package io.tatami.meta.service.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Audits while everything else goes on, and with errors: no copy is deleted that counts, none is called missing or
 * damaged that is sound, and when the trouble is over two rounds find all that leaked. A failure names its seed, from
 * which {@code -Dtatami.test.seed} begins; {@code -Dtatami.test.seeds} says how many there are.
 */
final class AuditRoundsTest {
    private static final long FIRST = Long.getLong("tatami.test.seed", 1);
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 60);
    private static final int SEEDS_SOAK = 1_000;
    private static final int ROUNDS = 20;

    private static final List<String> EVENTS = List.of(
            "appended",
            "away",
            "closed",
            "damaged",
            "deleted",
            "given up",
            "intended",
            "lost",
            "made again",
            "reply lost",
            "reported",
            "unlinked");

    @Test
    void nothingThatCountsIsDeletedAndNothingLeaks() throws Exception {
        Map<String, Long> counts = run(SEEDS);
        if (SEEDS > 1) {
            for (String event : EVENTS) {
                assertTrue(counts.getOrDefault(event, 0L) > 0, event + " never came about: " + counts);
            }
        }
    }

    @Test
    @Tag("soak")
    void nothingThatCountsIsDeletedAndNothingLeaksOver20000Rounds() throws Exception {
        assertEquals(SEEDS_SOAK, run(SEEDS_SOAK).get("worlds"));
    }

    private static Map<String, Long> run(int seeds) {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = FIRST; seed < FIRST + seeds; seed++) {
            try {
                run(new AuditWorld(seed, counts));
                counts.merge("worlds", 1L, Long::sum);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        return counts;
    }

    private static void run(AuditWorld world) throws Exception {
        ServerAudit audit = new ServerAudit(world.parts(), new DrainWatch(world.parts()));
        BlockReclaimer reclaimer = new BlockReclaimer(world.parts());
        for (int round = 0; round < ROUNDS; round++) {
            Duration unused = world.finish(audit.run(), false);
            world.finish(reclaimer.run(), false);
            world.pass(round % 3 == 0 ? ServerAudit.PERIOD : ServerAudit.CONFIRMATION);
        }
        world.calm();
        for (int pass = 0; pass < 4; pass++) {
            reclaim(world, reclaimer);
            world.pass(ServerAudit.PERIOD);
            for (Duration rest = Duration.ZERO; rest != null && rest.isZero(); ) {
                rest = world.finish(audit.run(), true);
            }
        }
        reclaim(world, reclaimer);
        assertEquals(0, world.queued());
        world.judgeRest();
    }

    private static void reclaim(AuditWorld world, BlockReclaimer reclaimer) throws Exception {
        for (int run = 0; run < 100 && world.queued() > 0; run++) {
            world.finish(reclaimer.run(), true);
            world.pass(Backlog.PAUSE_MAX);
        }
    }
}
