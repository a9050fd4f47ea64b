package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpaceGuardTest {
    @Test
    void whenRoomIsShortNothingNewIsMadeButDeletingAndClosingGoOn() throws TatamiException {
        AtomicLong free = new AtomicLong(99);
        SpaceGuard guard = new SpaceGuard(100, free::get);
        guard.check(MetaMethods.CREATE);
        assertEquals(1, guard.look().join().toSeconds());
        TatamiException refused = assertThrows(TatamiException.class, () -> guard.check(MetaMethods.CREATE));
        assertEquals(ErrorCode.NO_SPACE, refused.code());
        assertThrows(TatamiException.class, () -> guard.check(MetaMethods.MKDIRS));
        guard.check(MetaMethods.DELETE_FILE);
        guard.check(MetaMethods.DELETE_DIRECTORY);
        guard.check(MetaMethods.COMPLETE);
        free.set(100);
        assertEquals(1, guard.look().join().toSeconds());
        guard.check(MetaMethods.CREATE);
    }

    @Test
    void othersAreToLeadBeforeAnythingIsRefusedAndUntilThereIsMoreRoomThanThat() throws TatamiException {
        AtomicLong free = new AtomicLong(200);
        SpaceGuard guard = new SpaceGuard(100, free::get);
        List<Boolean> low = new ArrayList<>();
        for (long bytes : new long[] {200, 199, 200, 299, 300, 299}) {
            free.set(bytes);
            assertEquals(1, guard.look().join().toSeconds());
            low.add(guard.isLow());
            guard.check(MetaMethods.CREATE);
        }
        assertEquals(List.of(false, true, true, true, false, false), low);
    }

    @Test
    void aRealDirectoryHasSomeRoom(@TempDir Path directory) throws TatamiException {
        SpaceGuard guard = SpaceGuard.of(directory, 1);
        assertTrue(guard.look().isDone());
        guard.check(MetaMethods.CREATE);
    }
}
