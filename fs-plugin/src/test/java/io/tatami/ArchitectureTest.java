package io.tatami;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.tatami.hadoop.TatamiCluster;
import io.tatami.hadoop.TatamiFileSystem;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The plug-in stands between Hadoop and the client, and knows no server. */
final class ArchitectureTest {
    private static final String PLUGIN = "io.tatami.hadoop..";

    /** What the client offers to a program; nothing of its wiring. */
    private static final String[] CLIENT = {
        "io.tatami.base..",
        "io.tatami.conf..",
        "io.tatami.protocol..",
        "io.tatami.client",
        "io.tatami.client.model",
        "io.tatami.client.file"
    };

    private static final String FILE_SYSTEMS = "io.tatami.hadoop";
    private static final String CALL = "io.tatami.hadoop.call";
    private static final String CONVERT = "io.tatami.hadoop.convert";
    private static final String LOCALITY = "io.tatami.hadoop.locality";
    private static final String STREAM = "io.tatami.hadoop.stream";

    private static final ArchRule USES_THE_CLIENT_ALONE = noClasses()
            .that()
            .resideInAPackage(PLUGIN)
            .should()
            .dependOnClassesThat(resideInAPackage("io.tatami..")
                    .and(not(resideInAPackage(PLUGIN)))
                    .and(not(resideInAnyPackage(CLIENT))));

    private static final ArchRule ALONE_KNOWS_HADOOP = noClasses()
            .that(resideInAPackage("io.tatami..")
                    .and(not(resideInAnyPackage(PLUGIN, "io.tatami.auth..", "io.tatami.benchmarks.."))))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hadoop..");

    private static final ArchRule KNOWS_NO_LIBRARY_OF_THE_CLIENT = noClasses()
            .that()
            .resideInAPackage(PLUGIN)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "org.rocksdb..");

    private static JavaClasses classes = new ClassFileImporter().importClasses(TatamiFileSystem.class);

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-test"))
                .importPackages("io.tatami");
        assertTrue(classes.contain(TatamiFileSystem.class));
    }

    @Test
    void pluginUsesTheClientAlone() {
        USES_THE_CLIENT_ALONE.check(classes);
    }

    /** Of the plug-in, {@code from} uses only itself and {@code allowed}. */
    private static ArchRule onlyUses(String from, String... allowed) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat(resideInAPackage(PLUGIN)
                        .and(not(resideInAPackage(from)))
                        .and(not(resideInAnyPackage(allowed))));
    }

    /** Every package but the one of the file systems has its line, so that there can be no circle. */
    @Test
    void packagesOfThePluginImportOnlyWhatIsBelowThem() {
        List<ArchRule> arrows =
                List.of(onlyUses(CONVERT), onlyUses(STREAM, CONVERT), onlyUses(CALL, CONVERT), onlyUses(LOCALITY));
        arrows.forEach(arrow -> arrow.check(classes));
        assertEquals(Set.of(FILE_SYSTEMS, CALL, CONVERT, LOCALITY, STREAM), packages());
    }

    @Test
    void arrowUpwardsIsNoticed() {
        assertTrue(onlyUses(FILE_SYSTEMS, CONVERT, STREAM).evaluate(classes).hasViolation());
    }

    private static Set<String> packages() {
        return classes.that(resideInAPackage(PLUGIN)).stream()
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
    }

    @Test
    void pluginAloneKnowsHadoop() {
        ALONE_KNOWS_HADOOP.check(classes);
    }

    @Test
    void pluginKnowsNoLibraryOfTheClient() {
        KNOWS_NO_LIBRARY_OF_THE_CLIENT.check(classes);
    }

    @Test
    void onlyTheClockReadsTheTime() {
        ClockRule.RULE.check(classes);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        TreeSet<String> bare = new TreeSet<>();
        for (JavaClass type : classes.that(resideInAPackage(PLUGIN))) {
            JavaPackage in = type.getPackage();
            if (!in.isAnnotatedWith(NullMarked.class)) {
                bare.add(in.getName());
            }
        }
        assertEquals(new TreeSet<String>(), bare);
    }

    /** The tests' own cluster, in a package of the plug-in, starts servers. */
    @Test
    void brokenArrowIsNoticed() {
        JavaClasses broken = new ClassFileImporter().importClasses(TatamiCluster.class);
        assertTrue(USES_THE_CLIENT_ALONE.evaluate(broken).hasViolation());
    }
}
