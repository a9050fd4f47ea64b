package io.tatami.block.service.volumes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.RememberedVolumes.Remembered;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a block server remembers of its volumes over its restarts. */
final class RememberedVolumesTest {
    private static final UUID CLUSTER = new UUID(3, 3);
    private static final UUID ONE = new UUID(1, 1);
    private static final UUID TWO = new UUID(2, 2);

    @TempDir
    private Path directory;

    private RememberedVolumes file() {
        return new RememberedVolumes(directory, CLUSTER);
    }

    @Test
    void theLastChangeOfAVolumeCounts() throws TatamiException {
        assertEquals(List.of(), file().read());
        file().added("/data/é", ONE, false);
        file().drained("/data/é", ONE, true);
        file().removed("/data/lost", null);
        assertEquals(
                List.of(
                        new Remembered("/data/é", ONE, true, false, true),
                        new Remembered("/data/lost", null, false, true, false)),
                file().read());
        file().drained("/data/é", ONE, false);
        file().removed("/data/é", ONE);
        file().added("/data/lost", TWO, false);
        assertEquals(
                List.of(
                        new Remembered("/data/é", ONE, false, true, false),
                        new Remembered("/data/lost", TWO, true, false, false)),
                file().read());
    }

    @Test
    void aVolumeOfTheOptionsThatIsNoLongerDrainedIsForgotten() throws TatamiException {
        file().drained("/data/1", ONE, true);
        assertEquals(List.of(new Remembered("/data/1", ONE, false, false, true)), file().read());
        file().drained("/data/1", ONE, false);
        assertEquals(List.of(), file().read());
    }

    @Test
    void anotherVolumeInThePlaceOfARemovedOneTakesItsEntry() throws TatamiException {
        file().removed("/data/1", ONE);
        file().added("/data/1", TWO, false);
        assertEquals(List.of(new Remembered("/data/1", TWO, true, false, false)), file().read());
    }

    @Test
    void filesOfOthersAndDamagedOnesAreRefused() throws TatamiException {
        file().added("/data/1", ONE, false);
        TatamiException other =
                assertThrows(TatamiException.class, () -> new RememberedVolumes(directory, new UUID(4, 4)).read());
        assertEquals(ErrorCode.WRONG_CLUSTER, other.code());
        for (byte[] payload : List.of(
                new byte[0],
                ByteBuffer.allocate(4).putInt(1).array(),
                ByteBuffer.allocate(32).putInt(1).putInt(28, 9).array(),
                ByteBuffer.allocate(8).array())) {
            DurableFile.replace(
                    directory.resolve(RememberedVolumes.NAME),
                    Envelope.wrap(Envelope.Kind.VOLUMES, 1, CLUSTER, payload));
            assertEquals(
                    ErrorCode.CORRUPT,
                    assertThrows(TatamiException.class, () -> file().read()).code());
        }
        DurableFile.replace(
                directory.resolve(RememberedVolumes.NAME),
                Envelope.wrap(Envelope.Kind.VOLUMES, 2, CLUSTER, new byte[4]));
        assertEquals(
                ErrorCode.FORMAT_TOO_NEW,
                assertThrows(TatamiException.class, () -> file().read()).code());
    }
}
