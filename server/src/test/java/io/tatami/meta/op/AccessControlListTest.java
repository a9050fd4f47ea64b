package io.tatami.meta.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Lists are written as setfacl and getfacl write them; what is expected is what HDFS's documents and tests say. */
class AccessControlListTest {
    @Test
    void namedEntryBringsMaskThatIsTheUnionOfTheGroupClass() throws TatamiException {
        assertEquals("670 user:bruce:rwx group::r--", changed("640", "modify user:bruce:rwx"));
    }

    @Test
    void givenMaskIsKeptAndGroupKeepsItsOwnPermission() throws TatamiException {
        assertEquals("640 user:bruce:rwx group::r--", changed("640", "modify user:bruce:rwx mask::r--"));
    }

    @Test
    void modifyRecalculatesMaskOnlyInScopesItTouches() throws TatamiException {
        assertEquals(
                "640 user:bruce:rwx group::r-- default:user::rw- default:group::r-x default:other::---",
                changed("640 user:bruce:rwx group::r--", "modify default:group::r-x"));
    }

    @Test
    void modifyReplacesAnEntryOfTheSameName() throws TatamiException {
        assertEquals(
                "640 user:bruce:r-- group::r--", changed("670 user:bruce:rwx group::r--", "modify user:bruce:r--"));
    }

    @Test
    void removingLastNamedEntryLeavesTheMask() throws TatamiException {
        assertEquals("640 group::r--", changed("670 user:bruce:rwx group::r--", "remove_entries user:bruce:---"));
    }

    @Test
    void removingMaskThatIsNeededIsRefused() {
        assertRefused("670 user:bruce:rwx group::r--", "remove_entries mask::---");
    }

    @Test
    void removingMaskTogetherWithNamedEntriesIsAllowed() throws TatamiException {
        assertEquals("640", changed("670 user:bruce:rwx group::r--", "remove_entries mask::--- user:bruce:---"));
    }

    @Test
    void removingRequiredAccessEntryIsRefused() {
        assertRefused("640", "remove_entries user::---");
        assertRefused("640", "remove_entries other::---");
    }

    @Test
    void removedRequiredDefaultEntryIsCopiedFromAccessAgain() throws TatamiException {
        assertEquals(
                "750 default:user::rwx default:group::r-x default:other::---",
                changed(
                        "750 default:user::r-- default:group::r-x default:other::---",
                        "remove_entries default:user::---"));
    }

    @Test
    void removingAllGivesTheGroupItsPermissionBack() throws TatamiException {
        assertEquals("1640", changed("1670 user:bruce:rwx group::r--", "remove_all"));
        assertEquals("640", changed("640 default:user::rwx default:group::r-x default:other::---", "remove_all"));
    }

    @Test
    void removingDefaultsKeepsAccessEntries() throws TatamiException {
        assertEquals(
                "670 user:bruce:rwx group::r--",
                changed(
                        "670 user:bruce:rwx group::r-- default:user::rwx default:group::r-x default:other::---",
                        "remove_default"));
    }

    @Test
    void setReplacesOnlyTheScopesItNames() throws TatamiException {
        assertEquals(
                "750 default:user::rwx default:user:diana:rwx default:group::r-x default:mask::rwx default:other::---",
                changed("750 default:user::r-- default:group::r-- default:other::---", "set default:user:diana:rwx"));
        assertEquals(
                "770 user:bruce:rwx group::r-- default:user::r-- default:group::r-- default:other::---",
                changed(
                        "640 default:user::r-- default:group::r-- default:other::---",
                        "set user::rwx user:bruce:rwx group::r-- other::---"));
    }

    @Test
    void setWithoutRequiredEntriesIsRefused() {
        assertRefused("640", "set user:bruce:rwx");
    }

    @Test
    void setOfNothingRemovesTheList() throws TatamiException {
        assertEquals("640", changed("670 user:bruce:rwx group::r--", "set"));
    }

    @Test
    void setOfTheThreePlainEntriesIsAChmodThatKeepsTheStickyBit() throws TatamiException {
        assertEquals("1751", changed("1640", "set user::rwx group::r-x other::--x"));
    }

    @Test
    void entriesAreSortedByScopeTypeAndName() throws TatamiException {
        assertEquals(
                "777 user:ann:r-- user:bob:rwx group::rwx group:sales:r-- "
                        + "default:user::rwx default:user:bob:r-- default:group::rwx default:mask::rwx default:other::rwx",
                changed("777", "modify default:user:bob:r-- group:sales:r-- user:bob:rwx user:ann:r--"));
    }

    @Test
    void duplicatesNamesOfOthersAndTooManyEntriesAreRefused() {
        assertRefused("640", "modify user:bruce:rwx user:bruce:r--");
        assertRefused("640", "modify other:bruce:rwx");
        assertRefused("640", "modify mask:bruce:rwx");
        StringBuilder many = new StringBuilder("modify");
        for (int i = 0; i < 29; i++) {
            many.append(" user:u").append(i).append(":rwx");
        }
        assertRefused("640", many.toString());
    }

    @Test
    void twentyEightNamedEntriesAreTheMost() throws TatamiException {
        StringBuilder many = new StringBuilder("modify");
        for (int i = 0; i < 28; i++) {
            many.append(" user:u").append(i).append(":rwx");
        }
        assertTrue(changed("640", many.toString()).startsWith("670 user:u0:rwx"));
    }

    @Test
    void fileTakesNoDefaultEntries() throws TatamiException {
        AccessControlList list = AccessControlList.of(attributes("640"));
        list.change(change("modify default:user:bruce:rwx"));
        TatamiException refused =
                assertThrows(TatamiException.class, () -> list.storeIn(attributes("640").toBuilder(), false));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }

    @Test
    void withoutDefaultsTheUmaskCounts() {
        assertEquals("644", inherited("777", "666 644", false));
        assertEquals("1755", inherited("777 user:bruce:rwx group::rwx", "1777 1755", true));
    }

    @Test
    void defaultsCountInsteadOfTheUmaskAndTheModeLimitsThem() {
        String parent =
                "755 default:user::rwx default:user:bruce:rwx default:group::r-x default:mask::rwx default:other::r-x";
        assertEquals("664 user:bruce:rwx group::r-x", inherited(parent, "666 644", false));
        assertEquals("775 user:bruce:rwx group::r-x " + parent.substring(4), inherited(parent, "777 755", true));
    }

    @Test
    void minimalDefaultsLimitTheGroupAndLeaveNoListOnFiles() {
        String parent = "755 default:user::rwx default:group::rwx default:other::---";
        assertEquals("660", inherited(parent, "666 644", false));
        assertEquals("770 " + parent.substring(4), inherited(parent, "777 755", true));
    }

    private static void assertRefused(String before, String change) {
        TatamiException refused = assertThrows(TatamiException.class, () -> changed(before, change));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).startsWith("Invalid ACL: "));
    }

    private static String changed(String before, String change) throws TatamiException {
        AccessControlList list = AccessControlList.of(attributes(before));
        list.change(change(change));
        Attributes.Builder after = attributes(before).toBuilder();
        list.storeIn(after, true);
        return text(after.build());
    }

    private static String inherited(String parent, String modes, boolean directory) {
        String[] both = modes.split(" ", 2);
        CreateModes parsed = CreateModes.newBuilder()
                .setUnmasked(Integer.parseInt(both[0], 8))
                .setMasked(Integer.parseInt(both[1], 8))
                .build();
        Attributes.Builder child = Attributes.newBuilder();
        AccessControlList.inherit(attributes(parent), parsed, directory, child);
        return text(child.build());
    }

    private static AclChange change(String text) {
        List<String> words = words(text);
        return AclChange.newBuilder()
                .setKind(AclChange.Kind.valueOf(words.get(0).toUpperCase(Locale.ROOT)))
                .addAllEntry(entries(words))
                .build();
    }

    private static Attributes attributes(String text) {
        List<String> words = words(text);
        return Attributes.newBuilder()
                .setMode(Integer.parseInt(words.get(0), 8))
                .addAllAcl(entries(words))
                .build();
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    private static List<AclEntry> entries(List<String> words) {
        List<AclEntry> entries = new ArrayList<>();
        for (String word : words.subList(1, words.size())) {
            boolean defaultScope = word.startsWith("default:");
            String[] parts = (defaultScope ? word.substring("default:".length()) : word).split(":", -1);
            String bits = parts[2];
            entries.add(AclEntry.newBuilder()
                    .setDefaultScope(defaultScope)
                    .setType(AclEntry.Type.valueOf(parts[0].toUpperCase(Locale.ROOT)))
                    .setName(parts[1])
                    .setPermission((bits.charAt(0) == 'r' ? 4 : 0)
                            + (bits.charAt(1) == 'w' ? 2 : 0)
                            + (bits.charAt(2) == 'x' ? 1 : 0))
                    .build());
        }
        return entries;
    }

    private static String text(Attributes attributes) {
        String mode = Integer.toOctalString(attributes.getMode());
        String entries = attributes.getAclList().stream()
                .map(entry -> (entry.getDefaultScope() ? " default:" : " ")
                        + entry.getType().name().toLowerCase(Locale.ROOT) + ":" + entry.getName() + ":"
                        + ((entry.getPermission() & 4) != 0 ? "r" : "-")
                        + ((entry.getPermission() & 2) != 0 ? "w" : "-")
                        + ((entry.getPermission() & 1) != 0 ? "x" : "-"))
                .collect(Collectors.joining());
        return mode + entries;
    }
}
