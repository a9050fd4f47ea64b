package io.tatami.block.service.volumes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The streams of a volume that is taken out of the server. */
final class VolumeStreamsTest {
    private final SimVolume disk = new SimVolume(8L << 20, 1);
    private final Volume volume = disk.volume();
    private final VolumeStreams streams =
            new VolumeStreams("read", "setting", 2, List.of(new VolumeSet.ServedVolume(volume, "path")));

    VolumeStreamsTest() throws TatamiException {}

    @AfterEach
    void close() throws Exception {
        disk.close();
    }

    @Test
    void noneIsOpenedOnAVolumeThatIsTakenOutAndThoseThatAreOpenAreAwaited() throws Exception {
        VolumeStreams.Counted open = streams.open(volume);
        assertFalse(open.isEnded());

        streams.end(volume);

        assertTrue(open.isEnded());
        assertEquals(ErrorCode.UNAVAILABLE, refusal());
        assertFalse(streams.awaitNone(volume, 0));
        open.close();
        assertTrue(streams.awaitNone(volume, 0));
    }

    @Test
    void oneThatWasForgottenIsRefusedAndAStreamThatIsLeftOnItIsClosedAllTheSame() throws Exception {
        VolumeStreams.Counted left = streams.open(volume);
        streams.end(volume);

        streams.remove(volume);

        streams.end(volume);
        assertTrue(left.isEnded());
        left.close();
        assertEquals(0, streams.count(volume));
        assertTrue(streams.awaitNone(volume, 0));
        assertEquals(ErrorCode.UNAVAILABLE, refusal());
    }

    private ErrorCode refusal() {
        return assertThrows(TatamiException.class, () -> streams.open(volume)).code();
    }
}
