package io.tatami;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of the server module, and who alone imports what. */
final class ArchitectureTest {
    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage("io.tatami..");

    /** What every package may use: the client's lower layers. */
    private static final List<String> BELOW =
            List.of("io.tatami.base..", "io.tatami.conf..", "io.tatami.protocol..", "io.tatami.files..");

    private static final String SERVICE_REPLICATE = "io.tatami.meta.service.replicate";
    private static final String SERVICE_HOST = "io.tatami.meta.service.host";

    private static JavaClasses classes = new ClassFileImporter().importClasses(List.of());

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                // Another module's tests come as a jar, which ArchUnit does not take for tests.
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.tatami");
        assertFalse(classes.isEmpty());
    }

    /** A class of {@code from} uses only those of ours that are in {@code allowed}, or below both halves. */
    private static ArchRule onlyUses(String from, String... allowed) {
        List<String> all = new ArrayList<>(BELOW);
        all.addAll(List.of(allowed));
        all.add(from);
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat(OURS.and(not(resideInAnyPackage(all.toArray(String[]::new)))))
                .allowEmptyShould(true);
    }

    /** A class of {@code from} uses none of {@code above}. */
    private static ArchRule neverUses(String from, String... above) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(above);
    }

    /** Nobody of ours but {@code importers} uses {@code library}. */
    private static ArchRule onlyImportedBy(String library, String... importers) {
        return noClasses()
                .that(OURS.and(not(resideInAnyPackage(importers))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .allowEmptyShould(true);
    }

    private static final List<ArchRule> ARROWS = List.of(
            onlyUses("io.tatami.meta.state.."),
            onlyUses("io.tatami.meta.gate..", "io.tatami.meta.state.."),
            onlyUses("io.tatami.meta.op..", "io.tatami.meta.state..", "io.tatami.meta.gate..", "io.tatami.cluster.."),
            onlyUses("io.tatami.meta.store..", "io.tatami.meta.state.."),
            onlyUses("io.tatami.meta.log..", "io.tatami.meta.state..", "io.tatami.meta.store.."),
            neverUses(
                    "io.tatami.meta.service.lead", "io.tatami.meta.service.identity", SERVICE_REPLICATE, SERVICE_HOST),
            neverUses(
                    "io.tatami.meta.service.identity", "io.tatami.meta.service.lead", SERVICE_REPLICATE, SERVICE_HOST),
            neverUses(SERVICE_REPLICATE, SERVICE_HOST),
            neverUses("io.tatami.meta.service.tree", "io.tatami.meta.service.tree.flow"),
            neverUses("io.tatami.meta.log", "io.tatami.meta.log.raft..", "io.tatami.meta.log.local"),
            neverUses(
                    "io.tatami.meta.log.raft.snapshot", "io.tatami.meta.log.raft", "io.tatami.meta.log.raft.transport"),
            neverUses("io.tatami.meta.log.raft.transport", "io.tatami.meta.log.raft"),
            slices().matching("io.tatami.meta.log.(**)").should().beFreeOfCycles(),
            neverUses(
                    "io.tatami.server.node",
                    "io.tatami.server.cli",
                    "io.tatami.server.status",
                    "io.tatami.server.monitor",
                    "io.tatami.server.console"),
            onlyUses("io.tatami.server.http"),
            neverUses(
                    "io.tatami.server.metrics",
                    "io.tatami.server.http",
                    "io.tatami.server.node",
                    "io.tatami.server.cli"),
            neverUses("io.tatami.server.monitor", "io.tatami.server.cli"),
            onlyUses(
                    "io.tatami.server.console",
                    "io.tatami.server.http",
                    "io.tatami.server.status",
                    "io.tatami.server.traffic",
                    "io.tatami.client",
                    "io.tatami.client.model"),
            onlyImportedBy("io.tatami.server.console", "io.tatami.server.console", "io.tatami.server.monitor"),
            neverUses("io.tatami.server.status", "io.tatami.server.cli"),
            onlyUses(
                    "io.tatami.server.traffic",
                    "io.tatami.server.status",
                    "io.tatami.client",
                    "io.tatami.client.model"),
            onlyUses("io.tatami.server.lab.host"),
            onlyUses(
                    "io.tatami.server.lab", "io.tatami.server.lab.host", "io.tatami.server.node", "io.tatami.client.."),
            onlyUses("io.tatami.server.lab.command", "io.tatami.server.lab", "io.tatami.server.lab.host"),
            onlyImportedBy("io.tatami.server.lab.command", "io.tatami.server.lab.command", "io.tatami.server.cli"),
            onlyUses("io.tatami.meta..", "io.tatami.rpc..", "io.tatami.cluster.."),
            onlyUses("io.tatami.cluster.."),
            onlyUses("io.tatami.block.device.."),
            onlyUses("io.tatami.block.volume..", "io.tatami.block.device.."),
            onlyUses("io.tatami.block.cache..", "io.tatami.block.volume", "io.tatami.block.device.."),
            onlyUses("io.tatami.block..", "io.tatami.rpc..", "io.tatami.client.block..", "io.tatami.cluster.."));

    private static final String CLIENT = "io.tatami.client.block";
    private static final String DEVICE = "io.tatami.block.device..";
    private static final String VOLUME = "io.tatami.block.volume";
    private static final String SERVICE = "io.tatami.block.service";

    /** Within the block server; what is not named as used is not used. */
    private static final List<ArchRule> BLOCK_ARROWS = List.of(
            onlyUses(VOLUME + ".space", DEVICE),
            onlyUses(VOLUME + ".index", VOLUME + ".space", DEVICE),
            onlyUses(VOLUME + ".format", VOLUME + ".space", VOLUME + ".index", DEVICE),
            onlyUses(VOLUME, VOLUME + ".space", VOLUME + ".index", VOLUME + ".format", DEVICE),
            onlyUses(VOLUME + ".maintain", VOLUME + ".space", VOLUME, DEVICE),
            onlyUses(SERVICE + ".volumes", VOLUME, DEVICE, "io.tatami.block.cache"),
            onlyUses(SERVICE + ".context", SERVICE + ".volumes", VOLUME, DEVICE, "io.tatami.rpc", "io.tatami.cluster"),
            onlyUses(SERVICE + ".memory", SERVICE + ".context", VOLUME, DEVICE, "io.tatami.rpc", CLIENT),
            onlyUses(
                    SERVICE + ".write",
                    SERVICE + ".context",
                    SERVICE + ".memory",
                    SERVICE + ".volumes",
                    VOLUME,
                    VOLUME + ".space",
                    DEVICE,
                    "io.tatami.rpc",
                    CLIENT),
            onlyUses(
                    SERVICE + ".read",
                    SERVICE + ".context",
                    SERVICE + ".memory",
                    SERVICE + ".volumes",
                    VOLUME,
                    DEVICE,
                    "io.tatami.rpc"),
            onlyUses(
                    SERVICE + ".copy",
                    SERVICE + ".context",
                    SERVICE + ".volumes",
                    VOLUME,
                    VOLUME + ".space",
                    DEVICE,
                    "io.tatami.rpc",
                    CLIENT),
            onlyUses(
                    SERVICE + ".command",
                    SERVICE + ".context",
                    SERVICE + ".volumes",
                    SERVICE + ".write",
                    VOLUME,
                    "io.tatami.block.cache",
                    "io.tatami.rpc"),
            onlyUses(
                    SERVICE + ".report",
                    SERVICE + ".context",
                    SERVICE + ".volumes",
                    VOLUME + ".maintain",
                    VOLUME,
                    DEVICE,
                    "io.tatami.rpc"),
            onlyUses(
                    SERVICE + ".registration",
                    SERVICE + ".context",
                    SERVICE + ".volumes",
                    VOLUME,
                    DEVICE,
                    "io.tatami.rpc"),
            onlyImportedBy(VOLUME + ".maintain", VOLUME + ".maintain", SERVICE + ".report"),
            onlyImportedBy(SERVICE + ".memory", SERVICE, SERVICE + ".memory", SERVICE + ".write", SERVICE + ".read"),
            onlyImportedBy(SERVICE + ".write", SERVICE, SERVICE + ".write", SERVICE + ".command"),
            onlyImportedBy(SERVICE + ".copy", SERVICE, SERVICE + ".copy"),
            onlyImportedBy(SERVICE + ".read", SERVICE, SERVICE + ".read"),
            onlyImportedBy(SERVICE + ".command", SERVICE, SERVICE + ".command"),
            onlyImportedBy(SERVICE + ".report", SERVICE, SERVICE + ".report"),
            onlyImportedBy(SERVICE, SERVICE, "io.tatami.server.."),
            slices().matching("io.tatami.block.(**)").should().beFreeOfCycles());

    private static final List<ArchRule> ONLY_IMPORTERS = List.of(
            onlyImportedBy("org.rocksdb..", "io.tatami.meta.store..", "io.tatami.block.volume.index"),
            onlyImportedBy("com.sun.jna..", "io.tatami.block.device..", "io.tatami.meta.log.flush.."),
            onlyImportedBy("org.apache.ratis..", "io.tatami.meta.log.raft.."),
            onlyImportedBy("org.apache.hadoop..", "io.tatami.auth.."),
            onlyImportedBy("io.prometheus..", "io.tatami.server.metrics"),
            onlyImportedBy("io.netty.handler.codec.http..", "io.tatami.server.http"),
            onlyImportedBy("com.fasterxml.jackson..", "io.tatami.server.http", "io.tatami.client.model"),
            onlyImportedBy("org.apache.log4j..", "io.tatami.server.monitor"),
            onlyImportedBy("io.tatami.server..", "io.tatami.server.."));

    /** Decisions are pure: no threads, no files, no sockets, no time of their own, no randomness. */
    private static final ArchRule PURITY = noClasses()
            .that()
            .resideInAnyPackage("io.tatami.meta.state..", "io.tatami.meta.op..", "io.tatami.meta.gate..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "java.util.concurrent..",
                            "java.io..",
                            "java.nio.file..",
                            "java.nio.channels..",
                            "java.net..")
                    .and(not(ofType("java.io.IOException")))
                    .and(not(ofType("java.io.Serializable")))
                    .or(ofType("java.util.Random"))
                    .or(ofType("java.lang.Thread"))
                    .or(ofType("io.tatami.base.Clock")))
            .allowEmptyShould(true);

    private static DescribedPredicate<JavaClass> ofType(String name) {
        return DescribedPredicate.describe(name, type -> type.getFullName().equals(name));
    }

    @Test
    void arrowsPointDown() {
        ARROWS.forEach(rule -> rule.check(classes));
    }

    @Test
    void noClassOfTheBlockServerHasTheNameOfAnother() {
        Map<String, Set<String>> packages = new TreeMap<>();
        for (JavaClass type : classes) {
            if (!type.isNestedClass() && !type.getPackageName().endsWith(".wire") && !isPackageInfo(type)) {
                packages.computeIfAbsent(type.getSimpleName(), name -> new TreeSet<>())
                        .add(type.getPackageName());
            }
        }
        packages.values()
                .removeIf(of -> of.size() == 1 || of.stream().noneMatch(name -> name.startsWith("io.tatami.block")));
        assertEquals(Map.of(), packages);
    }

    private static boolean isPackageInfo(JavaClass type) {
        return type.getSimpleName().equals("package-info");
    }

    @Test
    void theBlockServersPackagesHaveNoCirclesAndOnlyTheImportsTheySay() {
        BLOCK_ARROWS.forEach(rule -> rule.check(classes));
    }

    /** Sessions have the context itself. */
    @Test
    void streamsOfTheBlockServerPassOnNoPartOfItsContext() {
        DescribedPredicate<JavaClass> part = ofType("io.tatami.block.service.context.BlockServerSettings")
                .or(ofType("io.tatami.block.service.context.BlockServerMetrics"))
                .or(ofType("io.tatami.block.service.volumes.VolumeSet"))
                .or(ofType("io.tatami.base.Clock"));
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage("io.tatami.block.service.write", "io.tatami.block.service.read")
                .should()
                .haveRawReturnType(part)
                .check(classes);
    }

    @Test
    void librariesHaveTheirOnlyImporters() {
        ONLY_IMPORTERS.forEach(rule -> rule.check(classes));
    }

    /**
     * Bytes of blocks go through devices only; a metadata server's channels are its log and the lock on its directory.
     */
    @Test
    void onlyDevicesImportFileChannels() {
        noClasses()
                .that(resideInAnyPackage("io.tatami.block..", "io.tatami.meta..")
                        .and(not(resideInAnyPackage(
                                "io.tatami.block.device..",
                                "io.tatami.meta.log.local",
                                "io.tatami.meta.service.host"))))
                .should()
                .dependOnClassesThat(ofType("java.nio.channels.FileChannel"))
                .check(classes);
    }

    @Test
    void onlyTheClockReadsTheTime() {
        ClockRule.RULE.check(classes);
    }

    @Test
    void operationsRecordsAndTheGateArePure() {
        JavaClasses ours = classes.that(not(resideInAPackage("..wire..")));
        PURITY.check(ours);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        TreeSet<String> bare = new TreeSet<>();
        for (JavaClass type : classes) {
            JavaPackage in = type.getPackage();
            if (!in.getName().endsWith(".wire") && !in.isAnnotatedWith(NullMarked.class)) {
                bare.add(in.getName());
            }
        }
        assertEquals(new TreeSet<String>(), bare);
    }

    @Test
    void brokenArrowsAreNoticed() {
        JavaClasses broken = new ClassFileImporter()
                .importPackages("io.tatami.meta.op")
                .that(DescribedPredicate.describe(
                        "is broken", type -> type.getSimpleName().equals("BrokenArrows")));
        assertEquals(1, broken.size());
        assertTrue(ARROWS.stream().anyMatch(rule -> rule.evaluate(broken).hasViolation()));
        assertTrue(
                ONLY_IMPORTERS.stream().anyMatch(rule -> rule.evaluate(broken).hasViolation()));
        assertTrue(PURITY.evaluate(broken).hasViolation());
    }
}
