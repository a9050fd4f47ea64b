package io.tatami.block.volume.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.space.Churn.Hour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A week of writing and deleting on a volume that is kept 85 % full. With {@code -Dtatami.test.curve=DIRECTORY} the
 * week is drawn there; {@code -Dtatami.test.seed} says which.
 */
class AllocatorChurnTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final long VOLUME_BYTES = 4L << 40;
    private static final int DAY_HOURS = 24;
    private static final int WEEK_HOURS = 7 * DAY_HOURS;

    @Test
    void aWeekOfChurnLeavesWholeExtentsForNineteenOfTwentyWriters() throws IOException {
        List<Hour> week = week(SEED);
        String directory = System.getProperty("tatami.test.curve");
        if (directory != null) {
            new ChurnCurve(SEED, week).write(Path.of(directory));
        }
    }

    @Test
    @Tag("soak")
    void twentyWeeksOfOtherSeedsLeaveThemToo() {
        for (long seed = SEED + 1; seed <= SEED + 20; seed++) {
            week(seed);
        }
    }

    @Test
    void aVolumeThatIsNearlyFullRefusesOnlyWhatItHasNoRunFor() {
        BookedVolume volume = new BookedVolume(256L << 30, replay(SEED));

        List<Hour> day = new Churn(volume, SEED, 0.97).run(DAY_HOURS);

        long reserved = day.stream().mapToLong(Hour::reserved).sum();
        long refused = day.stream().mapToLong(Hour::refused).sum();
        long whole = day.stream().mapToLong(Hour::whole).sum();
        assertTrue(whole < reserved, replay(SEED) + ": no writer was ever given a shorter block");
        assertTrue(refused < reserved / 100, replay(SEED) + ": " + refused + " of " + reserved + " were refused");
    }

    private static List<Hour> week(long seed) {
        BookedVolume volume = new BookedVolume(VOLUME_BYTES, replay(seed));
        Churn churn = new Churn(volume, seed, 0.85);
        List<Hour> week = churn.run(WEEK_HOURS);

        for (int day = 0; day < WEEK_HOURS; day += DAY_HOURS) {
            assertWholeExtents(week.subList(day, day + DAY_HOURS), replay(seed) + ", day " + day / DAY_HOURS);
        }
        assertLowAddressesAreBusier(week, replay(seed));
        churn.deleteAll();
        BookedVolume.Shape empty = volume.shape();
        assertEquals(VOLUME_BYTES, empty.longestFreeBytes(), replay(seed) + ": bytes were lost");
        return week;
    }

    private static void assertWholeExtents(List<Hour> hours, String when) {
        long reserved = hours.stream().mapToLong(Hour::reserved).sum();
        long whole = hours.stream().mapToLong(Hour::whole).sum();
        long refused = hours.stream().mapToLong(Hour::refused).sum();
        assertTrue(reserved > 1_000, when + ": " + reserved + " blocks only");
        assertTrue(whole >= reserved * 0.95, when + ": " + whole + " of " + reserved + " had a whole extent");
        assertEquals(0, refused, when);
    }

    /** That each block goes to the lowest place there is, the book has checked; this is what comes of it. */
    private static void assertLowAddressesAreBusier(List<Hour> week, String when) {
        for (Hour hour : week) {
            BookedVolume.Shape shape = hour.shape();
            String now = when + ", hour " + hour.hour() + ": " + shape;
            assertTrue(shape.used() > 0.83 && shape.used() < 0.86, now);
            assertTrue(shape.lowerUsed() > shape.upperUsed(), now);
            assertTrue(shape.meanAddress() < 0.5, now);
        }
    }

    private static String replay(long seed) {
        return "-Dtatami.test.seed=" + seed;
    }
}
