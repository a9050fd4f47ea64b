package io.tatami.meta.service.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.conf.Settings;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.state.wire.ServerIdentityRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server's directory says of its groups, also as earlier versions wrote it. */
final class IdentityTest {
    private static final UUID CLUSTER = UUID.randomUUID();
    private static final GroupId SHARD = GroupId.ofShard(0);

    @TempDir
    private Path directory = Path.of("");

    private Identity read() throws TatamiException {
        return Identity.read(directory).orElseThrow();
    }

    private void write(int version, ServerIdentityRecord.Builder record) throws TatamiException {
        record.setServerId(ByteString.copyFrom(UuidBytes.of(UUID.randomUUID())))
                .setShards(1)
                .setHandleKey(ByteString.copyFromUtf8("key"))
                .addAllGroup(List.of(-1, 0))
                .setMade(true);
        DurableFile.replace(
                directory.resolve("metadata-server.id"),
                Envelope.wrap(
                        Envelope.Kind.IDENTITY, version, CLUSTER, record.build().toByteArray()));
    }

    @Test
    void whatWasWrittenIsRead() throws Exception {
        Identity made = Identity.ofNewCluster(1, "ann", List.of(GroupId.NAMESPACE, SHARD), Identity.Replicas.NONE)
                .afterMaking()
                .afterMark();
        made.write(directory);
        assertEquals(made, read());
        Identity grown =
                made.withRaftPort(7).holding(SHARD, Identity.Log.GROWN).holding(GroupId.ofShard(1), Identity.Log.GIVEN);
        grown.write(directory);
        assertEquals(grown, read());
        assertTrue(read().isReplicated(SHARD));
        assertFalse(read().isReplicated(GroupId.NAMESPACE));
        assertFalse(read().isReplicated(GroupId.ofShard(2)));
    }

    @Test
    void ofTheVersionBeforeAllGroupsHaveTheSameLog() throws Exception {
        write(3, ServerIdentityRecord.newBuilder());
        assertEquals(Map.of(GroupId.NAMESPACE, Identity.Log.LOCAL, SHARD, Identity.Log.LOCAL), read().logs());
        write(3, ServerIdentityRecord.newBuilder().setReplicas(3).setRaftPort(9).setFounds(true));
        assertEquals(Map.of(GroupId.NAMESPACE, Identity.Log.FOUNDED, SHARD, Identity.Log.FOUNDED), read().logs());
        assertEquals(new Identity.Replicas(3, 9), read().replicas());
        write(3, ServerIdentityRecord.newBuilder().setReplicas(3).setRaftPort(9));
        assertEquals(Map.of(GroupId.NAMESPACE, Identity.Log.GIVEN, SHARD, Identity.Log.GIVEN), read().logs());
    }

    @Test
    void anOlderAndANewerVersionAreRefused() throws Exception {
        write(2, ServerIdentityRecord.newBuilder());
        assertEquals(
                ErrorCode.FORMAT_TOO_OLD,
                assertThrows(TatamiException.class, this::read).code());
        write(5, ServerIdentityRecord.newBuilder());
        assertEquals(
                ErrorCode.FORMAT_TOO_NEW,
                assertThrows(TatamiException.class, this::read).code());
    }

    /** The replicated log has nothing of what was there before it. */
    @Test
    void aStoreThatWasServedAndIsGoneIsNotMadeAnewForAReplicatedLog() throws Exception {
        open().close();
        read().withRaftPort(0).holding(SHARD, Identity.Log.GROWN).write(directory);
        delete(directory.resolve(SHARD.toString()));
        TatamiException gone = assertThrows(TatamiException.class, () -> open().close());
        assertEquals(ErrorCode.CORRUPT, gone.code());
        assertTrue(String.valueOf(gone.getMessage()).contains("the store of shard-0 is missing"), gone::toString);
        assertFalse(Files.exists(directory.resolve(SHARD.toString())));
    }

    private MetadataServer open() throws TatamiException {
        return MetadataServer.open(
                new ServerLocation(directory, "localhost", 0),
                NewCluster.onOneServer(1),
                Settings.defaults(),
                user -> List.of(),
                Clock.SYSTEM);
    }

    private static void delete(Path path) throws Exception {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path file : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
