package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.OutboxDelivery;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * What metadata groups store, by the numbers and types of fields, as in {@code stored-messages.txt}: a message of the
 * wire that stands in a record cannot be changed there without a word about the disk.
 */
final class StoredMessagesTest {
    private static final Path LIST = Path.of("src", "test", "resources", "stored-messages.txt");
    private static final FileDescriptor RECORDS = EntryRecord.getDescriptor().getFile();

    /** Messages of the wire that records hold, or that are records. */
    private static final Set<String> OF_THE_WIRE = Set.of(
            "tatami.AclEntry",
            "tatami.Attributes",
            "tatami.CopiesWanted",
            "tatami.EntryMoved",
            "tatami.FileClosed",
            "tatami.OutboxDelivery",
            "tatami.Refusal",
            "tatami.Refusal.AccessRefused",
            "tatami.Refusal.Entry",
            "tatami.Refusal.HeldLease",
            "tatami.Refusal.Inode",
            "tatami.Refusal.Leader",
            "tatami.Refusal.OwnerOnly",
            "tatami.Refusal.StickyBit",
            "tatami.Refusal.Subject",
            "tatami.XAttr");

    private static List<Descriptor> records() {
        List<Descriptor> stored = new ArrayList<>(RECORDS.getMessageTypes());
        stored.add(OutboxDelivery.getDescriptor());
        return stored;
    }

    /** Replies that are remembered, and so stored as they are sent. */
    private static List<Descriptor> rememberedReplies() throws ReflectiveOperationException {
        List<Descriptor> replies = new ArrayList<>();
        for (Field field : MetaMethods.class.getFields()) {
            if (field.get(null) instanceof Method<?, ?> method && !method.idempotent()) {
                replies.add(emptyReply(method).getDescriptorForType());
            }
        }
        return replies;
    }

    private static Message emptyReply(Method<?, ?> method) {
        try {
            return method.replyParser().parseFrom(ByteString.EMPTY);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void recordsHoldNoOtherMessagesOfTheWire() {
        TreeSet<String> foreign = new TreeSet<>(MessageShapes.of(records()).messages());
        RECORDS.getMessageTypes()
                .forEach(record -> foreign.removeIf(name -> (name + ".").startsWith(record.getFullName() + ".")));
        assertEquals(new TreeSet<>(OF_THE_WIRE), foreign);
    }

    @Test
    void recordsImportNoRequests() {
        assertEquals(
                List.of("tatami/attributes.proto", "tatami/refusal.proto"),
                RECORDS.getDependencies().stream().map(FileDescriptor::getName).toList());
    }

    @Test
    void storedMessagesAreAsListed() throws IOException, ReflectiveOperationException {
        List<Descriptor> stored = records();
        stored.addAll(rememberedReplies());
        MessageShapes now = MessageShapes.of(stored);
        List<String> changes = now.changesSince(MessageShapes.parse(Files.readAllLines(LIST)));
        assertTrue(
                changes.isEmpty(),
                () -> String.join("\n", changes) + "\n\nWhat belongs into " + LIST + ":\n\n" + now.toText());
    }

    private static MessageShapes shapes(String... lines) {
        return MessageShapes.parse(List.of(lines));
    }

    private static String change(MessageShapes before, MessageShapes after) {
        List<String> changes = after.changesSince(before);
        assertEquals(1, changes.size(), changes::toString);
        return changes.get(0);
    }

    @Test
    void eachKindOfChangeIsToldInItsOwnWords() {
        MessageShapes before = shapes("message M", "  1 string name", "  2 uint32 mode");
        assertEquals(List.of(), before.changesSince(before));
        assertTrue(change(before, shapes("message M", "  1 string name")).contains("reserve the number"));
        assertTrue(change(before, shapes("message M", "  1 string name", "  2 reserved"))
                .contains("directories that have it lose it"));
        assertTrue(change(before, shapes("message M", "  1 string name", "  2 int64 mode"))
                .contains("directories that exist are read wrong"));
        assertTrue(change(before, shapes("message M", "  1 string name", "  2 uint32 mode", "  3 bool big"))
                .contains("\"bool big\", is new"));
        assertTrue(change(shapes(), before).contains("is stored now"));
        assertTrue(change(before, shapes()).contains("is stored no more"));
    }

    @Test
    void theListIsReadAsItIsWritten() {
        MessageShapes now = MessageShapes.of(records());
        assertEquals(now, MessageShapes.parse(now.toText().lines().toList()));
    }
}
