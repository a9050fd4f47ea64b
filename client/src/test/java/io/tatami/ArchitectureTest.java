package io.tatami;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.TatamiClient;
import io.tatami.client.entry.EntryChanges;
import io.tatami.client.entry.FileChanges;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of the client module, which other modules may rely on. */
final class ArchitectureTest {
    private static final String BASE = "io.tatami.base..";
    private static final String CONF = "io.tatami.conf..";
    private static final String PROTOCOL = "io.tatami.protocol..";
    private static final String RPC = "io.tatami.rpc..";
    private static final String SOCKETS = "io.tatami.rpc.netty..";

    /** The classes of the transport with which processes are wired; servers use the second one. */
    private static final List<String> ENTRANCES = List.of("RpcClient", "RpcServer");

    // Single packages: a facade, and what stands below it.
    private static final String CLIENT = "io.tatami.client";
    private static final String MODEL = "io.tatami.client.model";
    private static final String BLOCK = "io.tatami.client.block";
    private static final String META = "io.tatami.client.meta";
    private static final String ENTRY = "io.tatami.client.entry";
    private static final String FILE = "io.tatami.client.file";
    private static final String WRITE = "io.tatami.client.file.write";

    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage("io.tatami..");
    private static final DescribedPredicate<JavaClass> NETTY = resideInAPackage("io.netty..");

    private static JavaClasses classes = new ClassFileImporter().importClasses(List.of());

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.tatami");
        assertFalse(classes.isEmpty());
    }

    /** No class of {@code from} uses a class of ours outside {@code allowed}. */
    private static void onlyUses(String from, String... allowed) {
        noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat(OURS.and(not(resideInAnyPackage(allowed))))
                .check(classes);
    }

    @Test
    void baseImportsNothingOfOurs() {
        onlyUses(BASE, BASE);
    }

    @Test
    void confAndProtocolImportOnlyBase() {
        onlyUses(CONF, CONF, BASE);
        onlyUses(PROTOCOL, PROTOCOL, BASE);
    }

    @Test
    void rpcImportsOnlyWhatIsBelowIt() {
        onlyUses(RPC, RPC, PROTOCOL, CONF, BASE);
    }

    @Test
    void theTwoEndsOfAConnectionMeetInWhatTheyShare() {
        onlyUses(
                "io.tatami.rpc.netty.shared..",
                "io.tatami.rpc.netty.shared..",
                "io.tatami.rpc.netty.frame..",
                "io.tatami.rpc",
                PROTOCOL,
                CONF,
                BASE);
        onlyUses(
                "io.tatami.rpc.netty.client..",
                "io.tatami.rpc.netty.client..",
                "io.tatami.rpc.netty.shared..",
                "io.tatami.rpc.netty.frame..",
                "io.tatami.rpc",
                PROTOCOL,
                CONF,
                BASE);
        onlyUses(
                "io.tatami.rpc.netty.server..",
                "io.tatami.rpc.netty.server..",
                "io.tatami.rpc.netty.shared..",
                "io.tatami.rpc.netty.frame..",
                "io.tatami.rpc",
                PROTOCOL,
                CONF,
                BASE);
    }

    @Test
    void whatCallersSeeOfRpcKnowsNoSockets() {
        noClasses()
                .that()
                .resideInAPackage("io.tatami.rpc")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(SOCKETS)
                .check(classes);
    }

    @Test
    void packagesOfTheClientImportOnlyWhatIsBelowThem() {
        onlyUses(MODEL, MODEL, PROTOCOL, CONF, BASE);
        onlyUses(BLOCK, BLOCK, RPC, PROTOCOL, BASE);
        onlyUses(META, META, BLOCK, MODEL, RPC, PROTOCOL, CONF, BASE);
        onlyUses(ENTRY, ENTRY, META, MODEL, PROTOCOL, BASE);
        onlyUses(FILE, FILE, WRITE, ENTRY, META, BLOCK, MODEL, PROTOCOL, BASE);
        onlyUses(WRITE, WRITE, META, BLOCK, MODEL, PROTOCOL, BASE);
    }

    /**
     * The facade asks for a change and has the stream made of the answer; no call goes through the one to the other.
     */
    @Test
    void streamsPassOnNoChangeOfAnEntry() {
        noClasses()
                .that()
                .resideInAPackage(FILE)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(EntryChanges.class, FileChanges.class)
                .check(classes);
    }

    /** An operator's command is called on {@link ClusterAdmin} itself. */
    @Test
    void facadePassesOnNoCommandOfTheOperator() {
        noClasses()
                .that()
                .belongToAnyOf(TatamiClient.class)
                .should()
                .callMethodWhere(target(owner(type(ClusterAdmin.class))))
                .check(classes);
    }

    @Test
    void packagesOfTheClientFormNoCircle() {
        freeOfCircles(UnaryOperator.identity()).check(classes);
    }

    /** The values were once in the facade's package, which the packages below it imported for them. */
    @Test
    void circleOfTheFacadeAndItsValuesIsNoticed() {
        ArchRule rule = freeOfCircles(name -> name.equals(MODEL) ? CLIENT : name);
        assertTrue(rule.evaluate(classes).hasViolation());
    }

    /** @param place the name under which a package's classes are counted */
    private static ArchRule freeOfCircles(UnaryOperator<String> place) {
        return SlicesRuleDefinition.slices()
                .assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String name = type.getPackageName();
                        return name.equals(CLIENT) || name.startsWith(CLIENT + ".")
                                ? SliceIdentifier.of(place.apply(name))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "the packages of the client";
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    @Test
    void onlyTheSocketsImportNettyButForItsBuffers() {
        noClasses()
                .that(OURS.and(not(resideInAPackage(SOCKETS))))
                .should()
                .dependOnClassesThat(NETTY.and(not(resideInAPackage("io.netty.buffer"))))
                .check(classes);
        noClasses()
                .that()
                .resideInAnyPackage(BASE, CONF)
                .should()
                .dependOnClassesThat(NETTY)
                .check(classes);
    }

    @Test
    void thePublicApiOfTheSocketsNamesNoNettyTypeButByteBuf() {
        List<String> named = classes.stream()
                .filter(ArchitectureTest::isForCallers)
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(unit -> unit.getRawParameterTypes().stream().anyMatch(ArchitectureTest::isForeignNetty)
                        || isForeignNetty(unit.getRawReturnType()))
                .map(unit -> unit.getFullName())
                .toList();
        assertEquals(List.of(), named);
    }

    /** A public class outside the transport, and those of the transport that classes outside it use. */
    private static boolean isForCallers(JavaClass type) {
        boolean isTransport = resideInAPackage(SOCKETS).test(type);
        return type.getPackageName().startsWith("io.tatami.")
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && (!isTransport || ENTRANCES.contains(type.getSimpleName()) || isUsedFromOutside(type));
    }

    private static boolean isUsedFromOutside(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream()
                .anyMatch(use -> !resideInAPackage(SOCKETS).test(use.getOriginClass()));
    }

    private static boolean isForeignNetty(JavaClass type) {
        return NETTY.test(type) && !type.isEquivalentTo(ByteBuf.class) && !type.isEquivalentTo(ByteBufAllocator.class);
    }

    @Test
    void nothingHereKnowsHadoop() {
        noClasses()
                .that(OURS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hadoop..")
                .check(classes);
    }

    @Test
    void onlyTheClockReadsTheTime() {
        ClockRule.RULE.check(classes);
    }

    @Test
    void timeThatIsReadElsewhereIsNoticed() {
        JavaClasses readers = new ClassFileImporter().importClasses(CallsNanoTime.class, RefersToNanoTime.class);
        readers.forEach(reader -> assertTrue(
                ClockRule.RULE
                        .evaluate(new ClassFileImporter().importClasses(reader.reflect()))
                        .hasViolation(),
                reader.getSimpleName()));
        assertEquals(2, readers.size());
    }

    static final class CallsNanoTime {
        long nanos() {
            return System.nanoTime();
        }
    }

    static final class RefersToNanoTime {
        LongSupplier nanos() {
            return System::nanoTime;
        }
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
}
