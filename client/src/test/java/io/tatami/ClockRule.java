package io.tatami;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import io.tatami.base.Clock;
import java.util.Date;
import java.util.Set;

/** Time comes from {@link Clock} alone, in every module but the benchmarks; for their architecture tests. */
public final class ClockRule {
    private static final Set<String> OF_SYSTEM = Set.of("nanoTime", "currentTimeMillis");

    private static final DescribedPredicate<JavaAccess<?>> READ_THE_TIME =
            describe("that read the machine's time", ClockRule::readsTime);

    public static final ArchRule RULE = noClasses()
            .that(resideInAPackage("io.tatami..")
                    .and(not(belongToAnyOf(Clock.class)))
                    .and(not(resideInAnyPackage("io.tatami.benchmarks.."))))
            .should()
            .accessTargetWhere(READ_THE_TIME);

    private ClockRule() {}

    private static boolean readsTime(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        return (owner.isEquivalentTo(System.class) && OF_SYSTEM.contains(name))
                || (owner.getPackageName().equals("java.time") && (name.equals("now") || name.startsWith("system")))
                || (owner.isEquivalentTo(Date.class) && name.equals("<init>"));
    }
}
