package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Over the byte code: what alone writes entries, and what writes records without a state of a type. */
final class EntryDoorTest {
    private static final JavaClasses META = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.tatami.meta");

    private static final Set<String> WRITES = Set.of("put", "putNew", "delete");

    /** The simple names of the classes that call one of a class's methods, or refer to it. */
    private static TreeSet<String> callersOf(Class<?> owner, Set<String> methods, Predicate<JavaClass> from) {
        TreeSet<String> callers = new TreeSet<>();
        for (JavaClass type : META) {
            if (from.test(type)) {
                type.getAccessesFromSelf().stream()
                        .filter(access -> isOf(owner, methods, access))
                        .forEach(access -> callers.add(type.getSimpleName()));
            }
        }
        return callers;
    }

    private static boolean isOf(Class<?> owner, Set<String> methods, JavaAccess<?> access) {
        return access.getTarget().getOwner().isEquivalentTo(owner)
                && methods.contains(access.getTarget().getName());
    }

    private static boolean isInState(JavaClass type) {
        return type.getPackageName().equals("io.tatami.meta.state");
    }

    @Test
    void entriesAloneWriteEntriesAndTheirSums() {
        assertEquals(
                Set.of("Entries", "ShardState"),
                callersOf(Keys.class, Set.of("entry"), EntryDoorTest::isInState),
                "ShardState reads them");
        assertEquals(Set.of("Entries"), callersOf(ShardState.class, Set.of("putSlice"), type -> true));
    }

    @Test
    void shardStateWritesNoEntry() {
        JavaClass state = META.get(ShardState.class);
        TreeSet<String> methods = new TreeSet<>();
        state.getAccessesFromSelf().stream()
                .filter(access -> isOf(Keys.class, Set.of("entry"), access))
                .forEach(access -> methods.add(access.getOrigin().getName()));
        assertEquals(Set.of("entry"), methods);
    }

    @Test
    void operationsOfShardsWriteByTheirStateOnly() {
        TreeSet<String> writers = callersOf(Draft.class, WRITES, type -> !isInState(type));
        assertEquals(
                Set.of(
                        "GroupStores",
                        "NoteMembersEpoch",
                        "OldTombstones",
                        "ProveWritable",
                        "ReplyMemory",
                        "SessionReplies"),
                writers,
                "these write what a group is, its members' epoch and its replies");
    }
}
