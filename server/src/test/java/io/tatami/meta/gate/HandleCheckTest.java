package io.tatami.meta.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class HandleCheckTest {
    private static final RequestContext ANN =
            new RequestContext(new Caller("ann", List.of(), false), SessionId.NONE, 1);

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of this cluster"));
    private final HandleCheck check = new HandleCheck(signer);
    private final ShardState shard = new ShardState(new Draft(new MemoryView()));

    /** Of directory 9 below 4 below the root, for ann. */
    private static Handle handle(long version) {
        return Handle.newBuilder()
                .setDirectoryId(9)
                .addAncestorId(1)
                .addAncestorId(4)
                .setVersion(version)
                .setUser("ann")
                .setExpiresMillis(2)
                .build();
    }

    private void changed(long directory, GateRecord record) {
        shard.putGate(new DirectoryId(directory), record);
        TreeVersion version = new TreeVersion(Math.max(record.getVersion(), record.getSelfVersion()));
        if (version.isAbove(shard.gateNewest())) {
            shard.putGateNewest(version);
        }
    }

    private void assertRefused(ErrorCode expected, SignedHandle signed) {
        TatamiException refused = assertThrows(TatamiException.class, () -> check.fresh(shard, ANN, signed));
        assertEquals(expected, refused.code());
    }

    @Test
    void aHandleIsGoodUntilOneOfItsDirectoriesChanges() throws TatamiException {
        SignedHandle signed = signer.sign(handle(5));
        assertEquals(handle(5), check.fresh(shard, ANN, signed));
        changed(77, GateRecord.newBuilder().setVersion(8).build());
        assertEquals(handle(5), check.fresh(shard, ANN, signed), "another directory changed");
        changed(4, GateRecord.newBuilder().setVersion(6).build());
        assertRefused(ErrorCode.STALE_HANDLE, signed);
        assertEquals(handle(6), check.fresh(shard, ANN, signer.sign(handle(6))), "made after the change");
    }

    @Test
    void anAncestorsChangeConcernsHandlesBelowIt() {
        changed(1, GateRecord.newBuilder().setVersion(6).build());
        assertRefused(ErrorCode.STALE_HANDLE, signer.sign(handle(5)));
    }

    @Test
    void aChangeOfADirectoryAloneDoesNotConcernThoseBelowIt() throws TatamiException {
        changed(4, GateRecord.newBuilder().setSelfVersion(6).build());
        assertEquals(handle(5), check.fresh(shard, ANN, signer.sign(handle(5))));
        changed(9, GateRecord.newBuilder().setSelfVersion(7).build());
        assertRefused(ErrorCode.STALE_HANDLE, signer.sign(handle(6)));
    }

    @Test
    void belowTheFloorNothingIsKnownAndSoRefused() {
        shard.putGateNewest(new TreeVersion(20));
        shard.putGateFloor(new TreeVersion(10));
        assertRefused(ErrorCode.STALE_HANDLE, signer.sign(handle(9)));
    }

    @Test
    void anotherUsersHandleAndAForgedOneAreRefused() {
        assertRefused(
                ErrorCode.PERMISSION_DENIED,
                signer.sign(handle(5).toBuilder().setUser("bob").build()));
        SignedHandle signed = signer.sign(handle(5));
        SignedHandle forged = signed.toBuilder()
                .setPayload(handle(5).toBuilder().setExpiresMillis(3).build().toByteString())
                .build();
        assertRefused(ErrorCode.PERMISSION_DENIED, forged);
        assertRefused(
                ErrorCode.PERMISSION_DENIED,
                new HandleSigner(ByteString.copyFromUtf8("the key of another cluster")).sign(handle(5)));
        assertRefused(ErrorCode.PERMISSION_DENIED, SignedHandle.getDefaultInstance());
    }

    @Test
    void aHandleWhoseTimeIsOverIsRefusedThoughNothingChanged() throws TatamiException {
        SignedHandle signed = signer.sign(handle(5));
        assertEquals(handle(5), check.fresh(shard, at(1), signed));
        for (long millis : new long[] {2, 3, Long.MAX_VALUE}) {
            TatamiException refused = assertThrows(TatamiException.class, () -> check.fresh(shard, at(millis), signed));
            assertEquals(ErrorCode.STALE_HANDLE, refused.code());
        }
    }

    private static RequestContext at(long wallMillis) {
        return new RequestContext(
                ANN.caller(),
                SessionId.NONE,
                1,
                wallMillis,
                Set.of(),
                ClusterMap.getDefaultInstance(),
                true,
                false,
                "");
    }

    @Test
    void aPeerPassesOnAHandleOfTheCallerThatItNamesButNotAStaleOne() throws TatamiException {
        Caller bob = new Caller("bob", List.of(), false);
        SignedHandle bobs = signer.sign(handle(5).toBuilder().setUser("bob").build());
        assertEquals("bob", check.fresh(shard, ANN, bob, bobs).getUser());
        assertThrows(TatamiException.class, () -> check.fresh(shard, ANN, ANN.caller(), bobs));
        assertThrows(TatamiException.class, () -> check.fresh(shard, at(2), bob, bobs));
        changed(4, GateRecord.newBuilder().setVersion(6).build());
        assertThrows(TatamiException.class, () -> check.fresh(shard, ANN, bob, bobs));
    }
}
