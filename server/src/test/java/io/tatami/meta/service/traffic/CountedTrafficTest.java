package io.tatami.meta.service.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.protocol.Audience;
import io.tatami.protocol.DeclaredMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.CountedDirectory;
import io.tatami.protocol.wire.CountedKey;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts for whom, without a server. */
final class CountedTrafficTest {
    private static final HandleSigner SIGNER = signer(1);

    private final CountedTraffic traffic = new CountedTraffic(SIGNER, Clock.SYSTEM);

    private static HandleSigner signer(int key) {
        byte[] bytes = new byte[HandleSigner.KEY_BYTES];
        bytes[0] = (byte) key;
        return new HandleSigner(ByteString.copyFrom(bytes));
    }

    private static SignedHandle handle(HandleSigner signer, long directory) {
        return signer.sign(Handle.newBuilder().setDirectoryId(directory).build());
    }

    private static SignedHandle handle(long directory) {
        return handle(SIGNER, directory);
    }

    private static CallContext from(String user, String host) {
        CallContext.Peer peer = new CallContext.Peer(new InetSocketAddress(host, 4_711), "test", false, "1");
        return new CallContext(peer, UserIdentity.of(user), CallOptions.DEFAULT, 0);
    }

    private <Q extends Message> void count(Method<Q, ?> method, String user, Q request) {
        traffic.counter(method).count(from(user, "10.0.0.1"), request);
    }

    private static List<String> texts(List<CountedKey> counted) {
        return counted.stream()
                .map(key -> key.getKey() + " " + key.getCount() + "-" + key.getError())
                .toList();
    }

    private static List<String> directories(GroupTrafficReply reply) {
        List<String> texts = new ArrayList<>();
        for (CountedDirectory directory : reply.getDirectoryList()) {
            texts.add(directory.getDirectoryId() + " " + directory.getCount());
        }
        return texts;
    }

    @Test
    void requestsCountForTheirUserTheirHostAndTheirDirectory() {
        LookupRequest inSeven = LookupRequest.newBuilder().setHandle(handle(7)).build();
        LookupRequest inNine = LookupRequest.newBuilder().setHandle(handle(9)).build();
        ClientTraffic.Counter<LookupRequest> lookups = traffic.counter(MetaMethods.LOOKUP);
        lookups.count(from("anna", "10.0.0.1"), inSeven);
        lookups.count(from("anna", "10.0.0.2"), inNine);
        lookups.count(from("bert", "10.0.0.2"), inNine);
        GroupTrafficReply reply = traffic.reply();
        assertEquals(3, reply.getRequests());
        assertEquals(List.of("anna 2-0", "bert 1-0"), texts(reply.getUserList()));
        assertEquals(List.of("10.0.0.2 2-0", "10.0.0.1 1-0"), texts(reply.getClientHostList()));
        assertEquals(List.of("9 2", "7 1"), directories(reply));
        assertTrue(reply.getAgeMillis() >= 0);
    }

    @Test
    void aRenameCountsForItsSourceAndABulkDeleteForItsFirstItem() {
        count(
                MetaMethods.RENAME_FILE,
                "anna",
                RenameFileRequest.newBuilder()
                        .setSourceHandle(handle(3))
                        .setDestinationHandle(handle(4))
                        .build());
        count(
                MetaMethods.BULK_DELETE,
                "anna",
                BulkDeleteRequest.newBuilder()
                        .addItem(BulkDeleteRequest.Item.newBuilder().setHandle(handle(5)))
                        .addItem(BulkDeleteRequest.Item.newBuilder().setHandle(handle(6)))
                        .build());
        assertEquals(
                List.of("3 1", "5 1"),
                directories(traffic.reply()).stream().sorted().toList());
    }

    @Test
    void pathsFilesAndHandlesThatAreNotOursCountForNoDirectory() {
        count(
                MetaMethods.RESOLVE,
                "anna",
                ResolveRequest.newBuilder().setPath("/a").build());
        count(MetaMethods.GET_BLOCKS, "anna", GetBlocksRequest.getDefaultInstance());
        count(MetaMethods.CREATE, "anna", CreateRequest.getDefaultInstance());
        count(MetaMethods.BULK_DELETE, "anna", BulkDeleteRequest.getDefaultInstance());
        SignedHandle forged = handle(signer(2), 8);
        count(
                MetaMethods.CREATE,
                "anna",
                CreateRequest.newBuilder().setHandle(forged).build());
        GroupTrafficReply reply = traffic.reply();
        assertEquals(5, reply.getRequests());
        assertEquals(List.of("anna 5-0"), texts(reply.getUserList()));
        assertEquals(List.of(), directories(reply));
    }

    @Test
    void whatIsForServersOrTheSuperuserIsNotCounted() throws Exception {
        for (Method<?, ?> method : DeclaredMethods.calls(MetaMethods.class)) {
            long before = traffic.reply().getRequests();
            countEmpty(method);
            long counted = traffic.reply().getRequests() - before;
            assertEquals(method.audience() == Audience.USERS ? 1 : 0, counted, method.name());
        }
    }

    private <Q extends Message> void countEmpty(Method<Q, ?> method) throws Exception {
        count(method, "anna", method.requestParser().parseFrom(new byte[0]));
    }

    @Test
    void manyKeysAndLongNamesTakeBoundedSpace() {
        ClientTraffic.Counter<CreateRequest> creates = traffic.counter(MetaMethods.CREATE);
        for (int i = 0; i < 3 * CountedTraffic.KEPT; i++) {
            String user = i + "-" + "x".repeat(100_000);
            CreateRequest request =
                    CreateRequest.newBuilder().setHandle(handle(1 + i)).build();
            creates.count(from(user, "10.1." + i / 200 + "." + i % 200), request);
        }
        GroupTrafficReply reply = traffic.reply();
        assertEquals(CountedTraffic.KEPT, reply.getUserCount());
        assertEquals(CountedTraffic.KEPT, reply.getClientHostCount());
        assertEquals(CountedTraffic.KEPT, reply.getDirectoryCount());
        assertTrue(reply.getSerializedSize() < 100_000, () -> reply.getSerializedSize() + " bytes");
    }

    @Test
    void eachTermsCountsHaveASourceOfTheirOwn() {
        assertNotEquals(
                traffic.reply().getSource(),
                new CountedTraffic(SIGNER, Clock.SYSTEM).reply().getSource());
        assertNotEquals(0, traffic.reply().getSource());
    }

    @Test
    void whereNothingIsCountedTheRemedyIsTold() {
        ClientTraffic.NONE
                .counter(MetaMethods.CREATE)
                .count(from("anna", "10.0.0.1"), CreateRequest.getDefaultInstance());
        TatamiException refused = assertThrows(TatamiException.class, ClientTraffic.NONE::reply);
        assertEquals(ErrorCode.UNSUPPORTED, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).contains("tatami.http.port=none"), refused.getMessage());
    }
}
