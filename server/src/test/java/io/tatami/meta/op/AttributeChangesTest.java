package io.tatami.meta.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import io.tatami.protocol.wire.AttributeChange.XAttrChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.XAttr;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttributeChangesTest {
    private static final Caller ROOT = new Caller("root", List.of("admin"), true);
    private static final Caller ANN = new Caller("ann", List.of("users", "science"), false);
    private static final Caller BOB = new Caller("bob", List.of("users"), false);
    private static final Subject FILE = Subject.file("/f");
    private static final Subject DIRECTORY = Subject.directory("/d");
    private static final Attributes OF_ANN = Attributes.newBuilder()
            .setOwner("ann")
            .setGroup("users")
            .setMode(0640)
            .setModifiedMillis(10)
            .build();

    @Test
    void ownerAndSuperuserChangeTheModeAndOthersDoNot() throws TatamiException {
        AttributeChange change = AttributeChange.newBuilder().setMode(07755).build();
        assertEquals(01755, AttributeChanges.apply(ANN, OF_ANN, FILE, change).getMode());
        assertEquals(
                01755, AttributeChanges.apply(ROOT, OF_ANN, DIRECTORY, change).getMode());
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, change));
    }

    @Test
    void onlySuperuserGivesAFileAway() throws TatamiException {
        AttributeChange change = AttributeChange.newBuilder().setOwner("bob").build();
        assertEquals("bob", AttributeChanges.apply(ROOT, OF_ANN, FILE, change).getOwner());
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(ANN, FILE, change));
    }

    @Test
    void namesOfUsersAndGroupsHaveALimit() {
        String name = "n".repeat(256);
        AclEntry entry = AclEntry.newBuilder()
                .setType(AclEntry.Type.USER)
                .setName(name)
                .setPermission(7)
                .build();
        List<AttributeChange> changes = List.of(
                AttributeChange.newBuilder().setOwner(name).build(),
                AttributeChange.newBuilder().setGroup(name).build(),
                AttributeChange.newBuilder()
                        .setAcl(AclChange.newBuilder()
                                .setKind(AclChange.Kind.MODIFY)
                                .addEntry(entry))
                        .build());
        for (AttributeChange change : changes) {
            assertEquals(ErrorCode.INVALID_ARGUMENT, failure(ROOT, FILE, change));
        }
    }

    @Test
    void ownerMayNameHerselfAsOwner() throws TatamiException {
        AttributeChange change = AttributeChange.newBuilder().setOwner("ann").build();
        assertEquals(OF_ANN, AttributeChanges.apply(ANN, OF_ANN, FILE, change));
    }

    @Test
    void ownerChangesTheGroupToOneOfHersOnly() throws TatamiException {
        AttributeChange mine = AttributeChange.newBuilder().setGroup("science").build();
        assertEquals("science", AttributeChanges.apply(ANN, OF_ANN, FILE, mine).getGroup());
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, mine));
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                failure(
                        ANN,
                        FILE,
                        AttributeChange.newBuilder().setGroup("admin").build()));
    }

    @Test
    void timesNeedWriteAccessAndNotOwnership() throws TatamiException {
        AttributeChange change =
                AttributeChange.newBuilder().setModifiedMillis(77).build();
        assertEquals(77, AttributeChanges.apply(ANN, OF_ANN, FILE, change).getModifiedMillis());
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, change));
        Attributes writable = OF_ANN.toBuilder().setMode(0660).build();
        assertEquals(77, AttributeChanges.apply(BOB, writable, FILE, change).getModifiedMillis());
    }

    @Test
    void replicationIsOfFilesOnly() throws TatamiException {
        AttributeChange change = AttributeChange.newBuilder().setReplication(2).build();
        assertEquals(OF_ANN, AttributeChanges.apply(ANN, OF_ANN, FILE, change));
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, change));
        assertEquals(ErrorCode.IS_A_DIRECTORY, failure(ANN, DIRECTORY, change));
    }

    @Test
    void onlyOwnersChangeAccessControlLists() throws TatamiException {
        AttributeChange change = AttributeChange.newBuilder()
                .setAcl(AclChange.newBuilder()
                        .setKind(AclChange.Kind.MODIFY)
                        .addEntry(AclEntry.newBuilder()
                                .setType(AclEntry.Type.USER)
                                .setName("bob")
                                .setPermission(7)))
                .build();
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, change));
        Attributes changed = AttributeChanges.apply(ANN, OF_ANN, FILE, change);
        assertEquals(0670, changed.getMode());
        assertEquals(true, Access.allows(BOB, changed, Access.WRITE));
    }

    @Test
    void userAttributesNeedWriteAccessAndOnStickyDirectoriesOwnership() throws TatamiException {
        AttributeChange change = set("user.colour", "red", false, false);
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(BOB, FILE, change));
        Attributes open = OF_ANN.toBuilder().setMode(01777).build();
        assertEquals(1, AttributeChanges.apply(BOB, open, FILE, change).getXattrCount());
        assertThrows(TatamiException.class, () -> AttributeChanges.apply(BOB, open, DIRECTORY, change));
        assertEquals(1, AttributeChanges.apply(ANN, open, DIRECTORY, change).getXattrCount());
    }

    @Test
    void trustedAttributesAreTheSuperusersAndTheRestNobodys() throws TatamiException {
        AttributeChange trusted = set("trusted.a", "1", false, false);
        assertEquals(ErrorCode.PERMISSION_DENIED, failure(ANN, FILE, trusted));
        Attributes changed = AttributeChanges.apply(ROOT, OF_ANN, FILE, trusted);
        assertEquals(0, ExtendedAttributes.visibleTo(ANN, changed).getXattrCount());
        assertEquals(1, ExtendedAttributes.visibleTo(ROOT, changed).getXattrCount());
        for (String name : List.of("security.a", "system.a", "raw.a", "other.a")) {
            assertEquals(ErrorCode.PERMISSION_DENIED, failure(ROOT, FILE, set(name, "1", false, false)));
        }
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure(ROOT, FILE, set("nospace", "1", false, false)));
    }

    @Test
    void readersAloneSeeExtendedAttributes() throws TatamiException {
        Attributes changed = AttributeChanges.apply(ANN, OF_ANN, FILE, set("user.a", "1", false, false));
        assertEquals(1, ExtendedAttributes.visibleTo(BOB, changed).getXattrCount());
        Attributes closed = changed.toBuilder().setMode(0600).build();
        assertEquals(0, ExtendedAttributes.visibleTo(BOB, closed).getXattrCount());
    }

    @Test
    void flagsOfExtendedAttributesAreKept() throws TatamiException {
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure(ANN, FILE, set("user.a", "1", false, true)));
        Attributes once = AttributeChanges.apply(ANN, OF_ANN, FILE, set("user.a", "1", true, false));
        assertThrows(
                TatamiException.class, () -> AttributeChanges.apply(ANN, once, FILE, set("user.a", "2", true, false)));
        Attributes twice = AttributeChanges.apply(ANN, once, FILE, set("user.a", "2", false, true));
        assertEquals("2", twice.getXattr(0).getValue().toStringUtf8());
        assertEquals(1, twice.getXattrCount());
    }

    @Test
    void removingAnExtendedAttributeThatIsNotThereFails() throws TatamiException {
        AttributeChange remove = AttributeChange.newBuilder()
                .setXattr(XAttrChange.newBuilder()
                        .setRemove(true)
                        .setXattr(XAttr.newBuilder().setName("user.a")))
                .build();
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure(ANN, FILE, remove));
        Attributes with = AttributeChanges.apply(ANN, OF_ANN, FILE, set("user.a", "1", false, false));
        assertEquals(OF_ANN, AttributeChanges.apply(ANN, with, FILE, remove));
    }

    @Test
    void extendedAttributesAreLimitedInNumberAndSize() throws TatamiException {
        Attributes full = OF_ANN;
        for (int i = 0; i < 32; i++) {
            full = AttributeChanges.apply(ANN, full, FILE, set("user.a" + i, "1", false, false));
        }
        Attributes bearer = full;
        assertThrows(
                TatamiException.class,
                () -> AttributeChanges.apply(ANN, bearer, FILE, set("user.b", "1", false, false)));
        assertEquals(
                32,
                AttributeChanges.apply(ANN, bearer, FILE, set("user.a3", "2", false, false))
                        .getXattrCount());
        assertEquals(
                1,
                AttributeChanges.apply(ANN, OF_ANN, FILE, set("user.a", "x".repeat(16_383), false, false))
                        .getXattrCount());
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure(ANN, FILE, set("user.a", "x".repeat(16_384), false, false)));
    }

    @Test
    void newThingsBelongToTheCallerAndTheGroupOfTheParent() {
        Attributes parent =
                OF_ANN.toBuilder().setGroup("science").setMode(01777).build();
        RequestContext context = new RequestContext(BOB, SessionId.NONE, 500);
        CreateModes modes =
                CreateModes.newBuilder().setUnmasked(0666).setMasked(0644).build();
        Attributes child = AttributeChanges.inherit(context, parent, modes, false);
        assertEquals(
                Attributes.newBuilder()
                        .setOwner("bob")
                        .setGroup("science")
                        .setMode(0644)
                        .setModifiedMillis(500)
                        .setAccessedMillis(500)
                        .build(),
                child);
        assertEquals(0, AttributeChanges.inherit(context, parent, modes, true).getAccessedMillis());
    }

    private static ErrorCode failure(Caller caller, Subject subject, AttributeChange change) {
        return assertThrows(TatamiException.class, () -> AttributeChanges.apply(caller, OF_ANN, subject, change))
                .code();
    }

    private static AttributeChange set(String name, String value, boolean createOnly, boolean replaceOnly) {
        return AttributeChange.newBuilder()
                .setXattr(XAttrChange.newBuilder()
                        .setXattr(XAttr.newBuilder().setName(name).setValue(ByteString.copyFromUtf8(value)))
                        .setCreateOnly(createOnly)
                        .setReplaceOnly(replaceOnly))
                .build();
    }
}
