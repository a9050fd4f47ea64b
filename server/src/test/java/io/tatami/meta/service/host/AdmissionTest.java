package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.Audience;
import io.tatami.protocol.DeclaredMethods;
import io.tatami.protocol.Effect;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** All methods of the metadata service, in safe mode, on a full disk and from whom they are not meant for. */
final class AdmissionTest {
    private static final ClusterMap OPEN = ClusterMap.newBuilder().setEpoch(1).build();
    private static final ClusterMap SAFE =
            ClusterMap.newBuilder().setEpoch(1).setSafeMode(true).build();

    private final AtomicLong freeBytes = new AtomicLong(1_000);
    private final SpaceGuard space = new SpaceGuard(100, freeBytes::get);

    private static List<Method<?, ?>> methods() {
        return DeclaredMethods.calls(MetaMethods.class);
    }

    private Optional<ErrorCode> refusal(ClusterMap map, Method<?, ?> method, boolean server) {
        try {
            new Admission(() -> map, space).check(method, server);
            return Optional.empty();
        } catch (TatamiException e) {
            return Optional.of(e.code());
        }
    }

    private void fillDisk() {
        freeBytes.set(99);
        assertEquals(1, space.look().join().toSeconds());
    }

    @Test
    void safeModeRefusesEveryUsersMethodThatWrites() {
        for (Method<?, ?> method : methods()) {
            if (method.audience() == Audience.SERVERS) {
                continue;
            }
            boolean writes = method.effect() == Effect.WRITES || method.effect() == Effect.FREES;
            Optional<ErrorCode> expected = writes ? Optional.of(ErrorCode.SAFE_MODE) : Optional.empty();
            assertEquals(expected, refusal(SAFE, method, false), method.name());
            assertEquals(Optional.empty(), refusal(SAFE, method, true), method.name());
            assertEquals(
                    writes ? Optional.of(ErrorCode.UNAVAILABLE) : Optional.empty(),
                    refusal(ClusterMap.getDefaultInstance(), method, false),
                    method.name());
        }
        assertEquals(Optional.of(ErrorCode.SAFE_MODE), refusal(SAFE, MetaMethods.COMMIT_LENGTH, false));
        assertEquals(Optional.of(ErrorCode.SAFE_MODE), refusal(SAFE, MetaMethods.RECOVER_LEASE, false));
        assertEquals(Optional.of(ErrorCode.SAFE_MODE), refusal(SAFE, MetaMethods.OPEN_SESSION, false));
    }

    @Test
    void aFullDiskRefusesWhatWritesAndLetsThroughWhatFreesRoom() {
        fillDisk();
        for (Method<?, ?> method : methods()) {
            assertEquals(
                    method.effect() == Effect.WRITES ? Optional.of(ErrorCode.NO_SPACE) : Optional.empty(),
                    refusal(OPEN, method, true),
                    method.name());
        }
    }

    @Test
    void whatServersAskOfEachOtherIsRefusedToUsersAndWhatRunsTheClusterToAllButTheSuperuser() {
        Caller ann = new Caller("ann", List.of(), false);
        for (Method<?, ?> method : methods()) {
            assertEquals(
                    method.audience() == Audience.SERVERS ? Optional.of(ErrorCode.PERMISSION_DENIED) : Optional.empty(),
                    refusal(OPEN, method, false),
                    method.name());
            boolean refused = false;
            try {
                Admission.check(method, ann);
            } catch (TatamiException e) {
                refused = true;
            }
            assertEquals(method.audience() == Audience.SUPERUSER, refused, method.name());
        }
    }

    @Test
    void nothingIsWrittenBesideReadsInSafeModeNorOnAFullDisk() {
        assertTrue(new Admission(() -> OPEN, space).mayWriteBesideReads());
        assertFalse(new Admission(() -> SAFE, space).mayWriteBesideReads());
        assertFalse(new Admission(ClusterMap::getDefaultInstance, space).mayWriteBesideReads());
        fillDisk();
        assertFalse(new Admission(() -> OPEN, space).mayWriteBesideReads());
    }
}
