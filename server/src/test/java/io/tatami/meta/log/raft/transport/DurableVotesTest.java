package io.tatami.meta.log.raft.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.meta.log.raft.RatisNames;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Ratis makes of a new term: it writes it, refuses it, or fails to write it. */
final class DurableVotesTest {
    private static final RaftGroupId GROUP = RatisNames.group(new UUID(1, 2), GroupId.ofShard(3));
    private static final AppendEntriesRequestProto OF_TERM_6 = AppendEntriesRequestProto.newBuilder()
            .setServerRequest(RaftRpcRequestProto.newBuilder()
                    .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(GROUP.toByteString())))
            .setLeaderTerm(6)
            .build();

    @TempDir
    private Path directory = Path.of("");

    private final RaftProperties properties = new RaftProperties();
    private final List<IOException> failures = new ArrayList<>();

    /** The term in Ratis's memory. */
    private long term = 5;

    /** What Ratis does with a request. */
    private Runnable ratis = () -> {};

    private final class Replica extends BaseStateMachine implements Voter {
        @Override
        public void voteFailed(IOException reason) {
            failures.add(reason);
        }
    }

    @BeforeEach
    void writeTerm5() throws IOException {
        RaftServerConfigKeys.setStorageDir(properties, List.of(new File(directory.toString())));
        Path unused = Files.createDirectories(log());
        write(5);
    }

    private Path log() {
        return RatisGroups.directory(properties, GROUP).resolve("current");
    }

    /** A new file takes the name, as Ratis writes terms. */
    private void write(long newTerm) throws IOException {
        Path next = log().resolve("raft-meta.tmp");
        Path unused = Files.writeString(next, "term=" + newTerm + "\nvotedFor=\n");
        unused = Files.move(next, log().resolve("raft-meta"), StandardCopyOption.REPLACE_EXISTING);
    }

    private String kept() throws IOException {
        return Files.readString(log().resolve("raft-meta.kept"));
    }

    private RaftServer server() {
        DivisionInfo info = fake(DivisionInfo.class, name -> term);
        Replica replica = new Replica();
        RaftServer.Division division = fake(RaftServer.Division.class, name -> name.equals("getInfo") ? info : replica);
        RaftServer server = fake(RaftServer.class, name -> {
            if (name.equals("getDivision")) {
                return division;
            }
            ratis.run();
            Object reply = CompletableFuture.completedFuture(AppendEntriesReplyProto.getDefaultInstance());
            return reply;
        });
        return new DurableVotes(properties).granting(server);
    }

    private interface Answers {
        Object to(String method);
    }

    private static <T> T fake(Class<T> kind, Answers answers) {
        Object made = Proxy.newProxyInstance(
                kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> answers.to(method.getName());
                });
        return kind.cast(made);
    }

    @Test
    void aTermIsKeptBeforeItIsAcknowledged() throws Exception {
        ratis = () -> {
            term = 6;
            try {
                write(6);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
        AppendEntriesReplyProto unused = server().appendEntriesAsync(OF_TERM_6).join();
        assertTrue(kept().contains("term=6"), kept());
        assertEquals(List.of(), failures);
    }

    /** Ratis has the term in memory alone, and would acknowledge the next message in it. */
    @Test
    void aReplicaThatCouldNotWriteATermStopsBeforeItAcknowledgesIt() {
        ratis = () -> term = 6;
        RaftServer server = server();
        assertThrows(IOException.class, () -> server.appendEntriesAsync(OF_TERM_6));
        assertEquals(1, failures.size());
        assertThrows(IOException.class, () -> server.appendEntriesAsync(OF_TERM_6));
    }

    @Test
    void aTermThatRatisRefusesStopsNobody() throws Exception {
        AppendEntriesReplyProto unused = server().appendEntriesAsync(OF_TERM_6).join();
        assertEquals(List.of(), failures);
        assertTrue(Files.notExists(log().resolve("raft-meta.kept")));
    }
}
