package io.tatami.older;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.XAttr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * A small tree with every kind of name and content. What {@link #write} makes is what {@link #assertIn} expects, also
 * of a directory that an older commit wrote: a change here needs new recorded directories, so add files rather than
 * change them.
 */
final class SampleTree {
    private static final int INLINE_BYTES_MAX = 16 << 10;
    private static final long BLOCK_BYTES = 1 << 20;
    private static final int CONTENT_UNIT_BYTES = 1_024;
    private static final long MODIFIED_MILLIS = 1_700_000_000_123L;
    private static final AclEntry NAMED_USER = AclEntry.newBuilder()
            .setType(AclEntry.Type.USER)
            .setName("bob")
            .setPermission(6)
            .build();
    private static final XAttr XATTR = XAttr.newBuilder()
            .setName("user.origin")
            .setValue(ByteString.copyFromUtf8("older"))
            .build();

    /** Files that are closed, with their lengths; small ones are stored with the metadata. */
    private static final Map<String, Integer> CLOSED = new TreeMap<>(Map.of(
            "/files/empty", 0,
            "/files/one", 1,
            "/files/inline", INLINE_BYTES_MAX,
            "/files/short", 20_000,
            "/files/blocks", 2_300_000,
            "/files/appended", 50_000,
            "/files/truncated", 70_001,
            "/files/concatenated", 300_000,
            "/other/renamed", 40_000,
            "/moved/directory/inside", 5_000));

    /** Files whose writer was gone before it closed them, with the lengths that it had synced. */
    private static final Map<String, Integer> OPEN =
            new TreeMap<>(Map.of("/open/recorded", 1_400_000, "/open/synced", 90_000));

    private static final String TARGET = "/files/short";
    private static final String LINK = "/files/link";

    private SampleTree() {}

    /** The writers of the open files are left as they are: their process ends without a word. */
    static void write(TatamiClient client) throws IOException {
        for (String directory : List.of("/files", "/other", "/from/directory", "/empty", "/open")) {
            client.mkdirs(TatamiPath.of(directory), CreateSpec.modes(0755, 0), true);
        }
        for (String plain : List.of("/files/empty", "/files/one", "/files/inline", "/files/short", "/files/blocks")) {
            writeClosed(client, plain, lengthOf(plain));
        }
        writeChanged(client);
        writeAttributes(client);
        for (Map.Entry<String, Integer> open : OPEN.entrySet()) {
            byte[] bytes = content(open.getKey(), open.getValue());
            FileWriter writer = client.create(TatamiPath.of(open.getKey()), spec());
            writer.write(bytes, 0, bytes.length);
            writer.hsync(open.getKey().endsWith("recorded"));
        }
    }

    private static int lengthOf(String closed) {
        return Objects.requireNonNull(CLOSED.get(closed), closed);
    }

    private static void writeChanged(TatamiClient client) throws IOException {
        String appended = "/files/appended";
        byte[] bytes = content(appended, lengthOf(appended));
        try (FileWriter writer = client.create(TatamiPath.of(appended), spec())) {
            writer.write(bytes, 0, 100);
        }
        try (FileWriter writer = client.append(TatamiPath.of(appended), false)) {
            writer.write(bytes, 100, bytes.length - 100);
        }
        writeClosed(client, "/files/truncated", 200_000);
        client.truncate(TatamiPath.of("/files/truncated"), lengthOf("/files/truncated"));
        String whole = "/files/concatenated";
        byte[] all = content(whole, lengthOf(whole));
        for (int part = 0; part < 3; part++) {
            try (FileWriter writer = client.create(TatamiPath.of(part == 0 ? whole : whole + part), spec())) {
                writer.write(all, part * 100_000, 100_000);
            }
        }
        client.concat(TatamiPath.of(whole), List.of(TatamiPath.of(whole + 1), TatamiPath.of(whole + 2)));
        try (FileWriter writer = client.create(TatamiPath.of("/files/before"), spec())) {
            writer.write(content("/other/renamed", 40_000), 0, 40_000);
        }
        client.rename(TatamiPath.of("/files/before"), TatamiPath.of("/other/renamed"), false);
        try (FileWriter writer = client.create(TatamiPath.of("/from/directory/inside"), spec())) {
            writer.write(content("/moved/directory/inside", 5_000), 0, 5_000);
        }
        client.rename(TatamiPath.of("/from"), TatamiPath.of("/moved"), false);
        writeClosed(client, "/files/deleted", 30_000);
        client.delete(TatamiPath.of("/files/deleted"), false);
        client.mkdirs(TatamiPath.of("/gone/inner"), CreateSpec.modes(0755, 0), true);
        writeClosed(client, "/gone/inner/file", 30_000);
        client.delete(TatamiPath.of("/gone"), true);
    }

    private static void writeAttributes(TatamiClient client) throws IOException {
        client.createSymlink(TatamiPath.of(LINK), TARGET, false);
        TatamiPath file = TatamiPath.of(TARGET);
        AttributeChange.Builder change = AttributeChange.newBuilder();
        client.setAttributes(
                file, change.setOwner("ann").setGroup("analysts").setMode(0640).build());
        client.setAttributes(
                file,
                AttributeChange.newBuilder()
                        .setAcl(AttributeChange.AclChange.newBuilder()
                                .setKind(AttributeChange.AclChange.Kind.MODIFY)
                                .addEntry(NAMED_USER))
                        .build());
        client.setAttributes(
                file,
                AttributeChange.newBuilder()
                        .setXattr(AttributeChange.XAttrChange.newBuilder().setXattr(XATTR))
                        .build());
        client.setAttributes(
                file,
                AttributeChange.newBuilder()
                        .setModifiedMillis(MODIFIED_MILLIS)
                        .setAccessedMillis(MODIFIED_MILLIS)
                        .build());
        client.setAttributes(
                TatamiPath.of("/empty"),
                AttributeChange.newBuilder()
                        .setAcl(AttributeChange.AclChange.newBuilder()
                                .setKind(AttributeChange.AclChange.Kind.MODIFY)
                                .addEntry(NAMED_USER.toBuilder().setDefaultScope(true)))
                        .build());
        client.setAttributes(
                TatamiPath.of("/empty"),
                AttributeChange.newBuilder().setMode(01777).build());
    }

    /** Every name, every byte, every attribute; open files are recovered first. */
    static void assertIn(TatamiClient client) throws Exception {
        for (String open : OPEN.keySet()) {
            recover(client, TatamiPath.of(open));
        }
        Map<String, Integer> files = new HashMap<>(CLOSED);
        files.putAll(OPEN);
        for (Map.Entry<String, Integer> file : files.entrySet()) {
            TatamiPath path = TatamiPath.of(file.getKey());
            PathStatus status = client.status(path, true);
            assertEquals(file.getValue().longValue(), status.lengthBytes(), file.getKey());
            assertFalse(status.isOpen(), file.getKey());
            assertEquals(1, status.replication(), file.getKey());
            assertEquals(BLOCK_BYTES, status.blockSizeBytes(), file.getKey());
            assertArrayEquals(content(file.getKey(), file.getValue()), read(client, path), file.getKey());
        }
        assertEquals(List.of("empty", "files", "moved", "open", "other", "tmp", "user"), names(client, "/"));
        assertEquals(
                List.of("appended", "blocks", "concatenated", "empty", "inline", "link", "one", "short", "truncated"),
                names(client, "/files"));
        assertEquals(List.of("renamed"), names(client, "/other"));
        assertEquals(List.of("directory"), names(client, "/moved"));
        assertEquals(List.of("inside"), names(client, "/moved/directory"));
        assertEquals(List.of("recorded", "synced"), names(client, "/open"));
        assertEquals(List.of(), names(client, "/empty"));
        assertAttributes(client);
        assertEquals(List.of(), client.cluster().fsck(TatamiPath.ROOT).findings());
        assertEquals(0, client.cluster().fsck(TatamiPath.ROOT).openFiles());
    }

    private static void assertAttributes(TatamiClient client) throws IOException {
        assertTrue(client.status(TatamiPath.of("/files/one"), true).isInline());
        PathStatus link = client.status(TatamiPath.of(LINK), false);
        assertTrue(link.isSymlink());
        assertEquals(TARGET, link.symlinkTarget());
        PathStatus file = client.status(TatamiPath.of(TARGET), true);
        assertEquals("ann", file.owner());
        assertEquals("analysts", file.group());
        assertEquals(0660, file.mode(), "with an ACL the group's bits are its mask");
        assertTrue(file.acl().contains(NAMED_USER), () -> "ACL " + file.acl());
        assertEquals(List.of(XATTR), file.attributes().getXattrList());
        assertEquals(MODIFIED_MILLIS, file.modifiedMillis());
        PathStatus directory = client.status(TatamiPath.of("/empty"), true);
        assertEquals(01777, directory.mode());
        AclEntry byDefault = NAMED_USER.toBuilder().setDefaultScope(true).build();
        assertTrue(directory.acl().contains(byDefault), () -> "ACL " + directory.acl());
    }

    /** Recovery of a file is done while others work; it is asked for until it is through. */
    private static void recover(TatamiClient client, TatamiPath path) throws Exception {
        for (int tries = 0; !client.recoverLease(path); tries++) {
            assertTrue(tries < 1_200, () -> path + " is not recovered");
            Thread.sleep(50);
        }
    }

    private static List<String> names(TatamiClient client, String directory) throws IOException {
        TatamiPath path = TatamiPath.of(directory);
        return client.list(path, false).toList().stream()
                .map(PathStatus::path)
                .map(TatamiPath::name)
                .sorted()
                .toList();
    }

    private static void writeClosed(TatamiClient client, String path, int length) throws IOException {
        try (FileWriter writer = client.create(TatamiPath.of(path), spec())) {
            byte[] bytes = content(path, length);
            writer.write(bytes, 0, bytes.length);
        }
    }

    private static CreateSpec spec() {
        return CreateSpec.DEFAULT.withBlockSizeBytes(BLOCK_BYTES).withReplication(1);
    }

    /** The content of a path; a shorter one is the beginning of a longer one. It compresses well. */
    private static byte[] content(String path, int length) {
        Random random = new Random(path.hashCode());
        byte[] bytes = new byte[length];
        byte[] word = new byte[Long.BYTES];
        for (int at = 0; at < length; at++) {
            if (at % CONTENT_UNIT_BYTES == 0) {
                random.nextBytes(word);
            }
            bytes[at] = word[at % word.length];
        }
        return bytes;
    }

    static byte[] read(TatamiClient client, TatamiPath path) throws IOException {
        try (FileReader reader = client.open(path, ReadPolicy.SEQUENTIAL)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }
}
