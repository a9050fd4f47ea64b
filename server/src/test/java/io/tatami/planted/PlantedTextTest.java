package io.tatami.planted;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * So that a change of the code a bug is planted in, or of the test that is to catch it, is noticed at once, and not
 * when the bugs are run next.
 */
final class PlantedTextTest {
    @ParameterizedTest
    @EnumSource
    void textOfThePlantedBugStandsInTheSource(PlantedBug bug) throws IOException {
        String source = Files.readString(bug.source());
        assertNotEquals(source, bug.plantIn(source));
    }

    @ParameterizedTest
    @EnumSource
    void testThatIsToCatchItIsThere(PlantedBug bug) throws ClassNotFoundException {
        int method = bug.detector().indexOf('#');
        Class<?> test = Class.forName(bug.detector().substring(0, method));
        assertTrue(
                Arrays.stream(test.getDeclaredMethods())
                        .anyMatch(declared ->
                                declared.getName().equals(bug.detector().substring(method + 1))),
                bug.detector());
    }
}
