package io.tatami;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.TreeSet;
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
