package io.tatami.meta.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HandleSignerTest {
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("the key of this cluster"));

    @Test
    void handlesOfManyClientsAreNotVerifiedEachTime() throws TatamiException {
        int clients = 512;
        List<SignedHandle> shown = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            shown.add(signer.sign(handle(client)));
        }
        List<Handle> first = opened(shown);
        List<Handle> again = opened(shown);
        int known = 0;
        for (int client = 0; client < clients; client++) {
            assertEquals(handle(client), again.get(client));
            if (first.get(client) == again.get(client)) {
                known++;
            }
        }
        assertTrue(known > 0.95 * clients, known + " of " + clients + " were known");
    }

    private List<Handle> opened(List<SignedHandle> shown) throws TatamiException {
        List<Handle> handles = new ArrayList<>();
        for (SignedHandle signed : shown) {
            handles.add(signer.open(signed));
        }
        return handles;
    }

    private static Handle handle(int number) {
        return Handle.newBuilder().setDirectoryId(1_000 + number).build();
    }
}
