package io.tatami.meta.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.Right;
import io.tatami.meta.state.wire.SignedRight;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RightsTest {
    private static final Caller ANN = new Caller("ann", List.of(), false);
    private static final FileId FILE = new FileId(77);

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of this cluster"));
    private final Rights rights = signer.rights();

    private static RequestContext at(long nowMillis, String user) {
        return new RequestContext(new Caller(user, List.of(), false), SessionId.NONE, nowMillis);
    }

    private void assertDenied(ByteString token, String user) {
        TatamiException refused = assertThrows(TatamiException.class, () -> rights.of(at(1, user), token));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
    }

    @Test
    void aRightSaysWhatItWasMadeForUntilItIsOld() throws TatamiException {
        ByteString token = rights.ofFile(ANN, FILE, Sight.LOCATIONS, 1_000);
        Right right = rights.of(at(1_000 + Rights.LIFE_MILLIS - 1, "ann"), token);
        assertEquals(FILE.value(), right.getFileId());
        assertTrue(right.getLocations());
        assertFalse(right.getContent());
        assertEquals(Right.getDefaultInstance(), rights.of(at(1_000 + Rights.LIFE_MILLIS, "ann"), token));
        assertEquals(Right.getDefaultInstance(), rights.of(at(1, "ann"), ByteString.EMPTY));
        ByteString directory = rights.ofDirectory(ANN, new DirectoryId(9), 1_000);
        assertEquals(List.of(9L), rights.of(at(1_000, "ann"), directory).getDirectoryIdList());
    }

    @Test
    void anotherUsersRightAndAForgedOneAreRefused() throws Exception {
        ByteString token = rights.ofFile(ANN, FILE, Sight.LENGTH, 1);
        assertDenied(token, "bob");
        SignedRight signed = SignedRight.parseFrom(token);
        Right more = Right.parseFrom(signed.getPayload()).toBuilder()
                .setContent(true)
                .build();
        assertDenied(signed.toBuilder().setPayload(more.toByteString()).build().toByteString(), "ann");
        HandleSigner other = new HandleSigner(ByteString.copyFromUtf8("the key of another cluster"));
        assertDenied(other.rights().ofFile(ANN, FILE, Sight.CONTENT, 1), "ann");
    }

    @Test
    void aHandleIsNoRightAndARightNoHandle() throws Exception {
        SignedHandle handle = signer.sign(Handle.newBuilder().setUser("ann").build());
        SignedRight asRight = SignedRight.newBuilder()
                .setPayload(handle.getPayload())
                .setSignature(handle.getSignature())
                .build();
        assertDenied(asRight.toByteString(), "ann");
        SignedRight right = SignedRight.parseFrom(rights.ofFile(ANN, FILE, Sight.LENGTH, 1));
        SignedHandle asHandle = SignedHandle.newBuilder()
                .setPayload(right.getPayload())
                .setSignature(right.getSignature())
                .build();
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                assertThrows(TatamiException.class, () -> signer.open(asHandle)).code());
    }
}
