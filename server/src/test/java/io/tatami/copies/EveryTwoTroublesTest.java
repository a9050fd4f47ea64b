package io.tatami.copies;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import io.tatami.copies.PlannedTroubles.Kind;
import io.tatami.copies.PlannedTroubles.Planned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What was promised is there, and the world heals, whatever two things go wrong while two others meet at a block: as a
 * soak all of them at every step, else a sample that a seed chooses. A failure names its run, which
 * {@code -Dtatami.test.meeting} does alone.
 */
final class EveryTwoTroublesTest {
    /** After they have met. */
    private static final long[] LATER_MILLIS = {0, 2, 5};

    private static final int SINGLES = 20;
    private static final int SECONDS_OF_EACH = 1;
    private static final int FIRST_TROUBLES_OF_A_LINE = 50;
    private static final int SHUFFLE_SEED = 41;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @EnumSource
    void twoTroublesAreSurvived(Meeting meeting) {
        long seed = Long.getLong("tatami.test.seed", new Random().nextLong(1_000_000));
        String named = System.getProperty("tatami.test.meeting", "");
        Map<String, Long> counts = new TreeMap<>();
        if (!named.isEmpty()) {
            runNamed(meeting, named, counts);
            return;
        }
        System.out.println(meeting + ", -Dtatami.test.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < SINGLES; i++) {
            long later = LATER_MILLIS[random.nextInt(LATER_MILLIS.length)];
            List<Planned> singles = run(meeting, later, List.of(), counts);
            Planned first = singles.get(random.nextInt(singles.size()));
            List<Planned> seconds = run(meeting, later, List.of(first), counts);
            for (int j = 0; j < SECONDS_OF_EACH; j++) {
                Planned second = seconds.get(random.nextInt(seconds.size()));
                if (first.goesWith(second)) {
                    List<Planned> unused = run(meeting, later, List.of(first, second), counts);
                }
            }
        }
        System.out.println(counts);
        assertTrue(counts.getOrDefault("runs", 0L) > 2 * SINGLES, counts::toString);
    }

    /** Every trouble by itself would come at the step at which it is planned: a run without any tells the steps. */
    @ParameterizedTest
    @EnumSource
    void sameStepsComeAgain(Meeting meeting) {
        List<Planned> steps = run(meeting, 0, List.of(), new TreeMap<>());
        assertTrue(steps.equals(run(meeting, 0, List.of(), new TreeMap<>())), meeting::toString);
        for (Kind kind : Kind.values()) {
            assertTrue(steps.stream().anyMatch(step -> step.kind() == kind), () -> meeting + " has no " + kind);
        }
    }

    /**
     * Goes on where its log ends, see {@link SoakLog}; a seed is a first trouble with every second one, in an order of
     * chance, so that a part of them is a sample of all. {@code -Dtatami.test.every=N} takes every Nth second one, and
     * {@code -Dtatami.test.from=M}, below N, other ones for each M.
     */
    @Test
    @Tag("soak")
    void everyTwoTroublesAreSurvived() throws Exception {
        List<First> all = allFirst();
        int every = Integer.getInteger("tatami.test.every", 1);
        int from = Integer.getInteger("tatami.test.from", 0);
        SoakLog.run("every-two-troubles.log", FIRST_TROUBLES_OF_A_LINE, all.size(), (seed, counts) -> {
            First first = all.get((int) seed - 1);
            List<Planned> seconds = run(first.meeting(), first.later(), List.of(first.trouble()), counts);
            for (int which = (int) ((seed + from) % every); which < seconds.size(); which += every) {
                if (first.trouble().goesWith(seconds.get(which))) {
                    List<Planned> plan = List.of(first.trouble(), seconds.get(which));
                    List<Planned> unused = run(first.meeting(), first.later(), plan, counts);
                }
            }
        });
    }

    /**
     * Each first trouble with each kind of second one at the next step at which that is possible: what meets while
     * nothing has answered the first one yet. Goes on where its log ends.
     */
    @Test
    @Tag("soak")
    void everyTwoTroublesThatFollowEachOtherAreSurvived() throws Exception {
        List<First> all = allFirst();
        SoakLog.run("every-two-troubles-next.log", FIRST_TROUBLES_OF_A_LINE, all.size(), (seed, counts) -> {
            First first = all.get((int) seed - 1);
            Set<Kind> kinds = EnumSet.noneOf(Kind.class);
            for (Planned second : run(first.meeting(), first.later(), List.of(first.trouble()), counts)) {
                if (first.trouble().goesWith(second) && kinds.add(second.kind())) {
                    List<Planned> unused =
                            run(first.meeting(), first.later(), List.of(first.trouble(), second), counts);
                }
            }
        });
    }

    /** In an order of chance. */
    private List<First> allFirst() {
        List<First> all = new ArrayList<>();
        for (Meeting meeting : Meeting.values()) {
            for (long later : LATER_MILLIS) {
                run(meeting, later, List.of(), new TreeMap<>())
                        .forEach(first -> all.add(new First(meeting, later, first)));
            }
        }
        Collections.shuffle(all, new Random(SHUFFLE_SEED));
        return all;
    }

    private record First(Meeting meeting, long later, Planned trouble) {}

    private List<Planned> run(Meeting meeting, long later, List<Planned> plan, Map<String, Long> counts) {
        try {
            return MeetingScript.run(meeting, later, plan, directory, counts);
        } catch (RuntimeException e) {
            String name = meeting + "/" + later + "/"
                    + String.join(",", plan.stream().map(Planned::toString).toList());
            throw new AssertionError("run it alone with -Dtatami.test.meeting=" + name + ": " + e.getMessage(), e);
        }
    }

    private void runNamed(Meeting meeting, String named, Map<String, Long> counts) {
        String[] parts = named.split("/", -1);
        if (parts[0].equals(meeting.name())) {
            List<Planned> plan = Stream.of(parts[2].split(","))
                    .filter(part -> !part.isEmpty())
                    .map(part -> part.split(":"))
                    .map(part -> new Planned(Integer.parseInt(part[0]), Kind.valueOf(part[1])))
                    .toList();
            List<Planned> possible = run(meeting, Long.parseLong(parts[1]), plan, counts);
            System.out.println(named + ": " + counts + ", " + possible.size() + " more are possible");
        }
    }
}
