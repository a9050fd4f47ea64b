package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The stations of a request in {@code docs/ARCHITECTURE.md} are classes that have the methods named there. */
final class RequestVerbsTest {
    private static final String HEAD = "| station | verb | what it does |\n| --- | --- | --- |\n";
    private static final Pattern ROW = Pattern.compile("\\| ([^|]+) \\| ([^|]+) \\|");
    private static final Pattern CODE = Pattern.compile("`(\\w+)`");

    /** A class and its methods. */
    private record Station(String type, List<String> verbs) {}

    private static List<Station> stations() throws IOException {
        Path page = Path.of("..", "docs", "ARCHITECTURE.md");
        String text = Files.readString(page);
        int head = text.indexOf(HEAD);
        assertTrue(head >= 0, page + " has no table of stations");
        List<Station> stations = new ArrayList<>();
        for (String row : text.substring(head + HEAD.length()).lines().toList()) {
            Matcher cells = ROW.matcher(row);
            if (!cells.lookingAt()) {
                break;
            }
            stations.add(new Station(codesOf(cells.group(1)).get(0), codesOf(cells.group(2))));
        }
        return stations;
    }

    private static List<String> codesOf(String cell) {
        List<String> codes = new ArrayList<>();
        Matcher code = CODE.matcher(cell);
        while (code.find()) {
            codes.add(code.group(1));
        }
        return codes;
    }

    @Test
    void eachStationHasItsVerbsAndNoTwoHaveTheSame() throws IOException {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.tatami.meta", "io.tatami.rpc");
        List<String> missing = new ArrayList<>();
        TreeSet<String> verbs = new TreeSet<>();
        List<Station> stations = stations();
        for (Station station : stations) {
            for (String verb : station.verbs()) {
                if (!hasMethod(classes, station.type(), verb)) {
                    missing.add(station.type() + "." + verb);
                }
                assertTrue(verbs.add(verb), "two stations have the verb " + verb);
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(stations.size() >= 8, stations::toString);
    }

    private static boolean hasMethod(JavaClasses classes, String simpleName, String method) {
        for (JavaClass type : classes) {
            if (type.getSimpleName().equals(simpleName)
                    && type.getMethods().stream()
                            .anyMatch(each -> each.getName().equals(method))) {
                return true;
            }
        }
        return false;
    }
}
