package io.tatami.planted;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** So that a change of the code a bug is planted in is noticed at once, and not when the bugs are run next. */
final class PlantedTextTest {
    @ParameterizedTest
    @EnumSource
    void textOfThePlantedBugStandsInTheSource(PlantedBug bug) throws IOException {
        String source = Files.readString(bug.source());
        assertNotEquals(source, bug.plantIn(source));
    }
}
