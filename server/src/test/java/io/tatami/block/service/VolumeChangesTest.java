package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.RememberedVolumes;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VolumeChangesTest {
    private static final VolumeSet.FailedVolume GONE =
            new VolumeSet.FailedVolume("/dev/gone", new UUID(3, 3), "no such device");

    @TempDir
    private Path directory;

    private boolean isKnown;

    private final class Places implements VolumePlaces {
        @Override
        public Volume open(String path, long capacityBytes, VolumeSet serving) {
            throw new UnsupportedOperationException(path);
        }

        @Override
        public void close(Volume volume) {
            throw new UnsupportedOperationException("a volume is closed by those who end its use");
        }

        @Override
        public String normal(String path) {
            return path;
        }

        @Override
        public RememberedVolumes remembered() {
            return new RememberedVolumes(directory, new UUID(1, 1));
        }
    }

    private final class Parts implements VolumeChanges.Parts {
        @Override
        public void add(VolumeSet.ServedVolume served) {}

        @Override
        public void changed() {
            isKnown = false;
        }

        @Override
        public boolean areKnown() {
            return isKnown;
        }

        @Override
        public void end(VolumeSet.ServedVolume served, VolumeChanges.Closing closing) {}
    }

    @Test
    void volumeIsRemovedOrGivenUpOnlyWhenTheClusterKnowsTheOthers() throws Exception {
        try (SimVolume first = new SimVolume(8 << 20, 1);
                SimVolume second = new SimVolume(8 << 20, 2)) {
            VolumeSet volumes = new VolumeSet(
                    List.of(
                            new VolumeSet.ServedVolume(first.volume(), "/first"),
                            new VolumeSet.ServedVolume(second.volume(), "/second")),
                    List.of(GONE),
                    Set.of());
            VolumeChanges changes = new VolumeChanges(volumes, new Places(), new Parts());
            for (String volume : List.of("/first", GONE.path())) {
                TatamiException refused = assertThrows(TatamiException.class, () -> changes.change(remove(volume)));
                assertEquals(ErrorCode.BUSY, refused.code());
            }
            assertEquals(3, volumes.ids().size());
            isKnown = true;
            changes.change(remove(GONE.path()));
            assertEquals(2, volumes.ids().size());
            assertEquals(
                    ErrorCode.BUSY,
                    assertThrows(TatamiException.class, () -> changes.change(remove("/first")))
                            .code());
        }
    }

    private static ChangeVolumeRequest remove(String volume) {
        return ChangeVolumeRequest.newBuilder()
                .setAction(ChangeVolumeRequest.Action.REMOVE)
                .setVolume(volume)
                .setGiveUp(true)
                .build();
    }
}
