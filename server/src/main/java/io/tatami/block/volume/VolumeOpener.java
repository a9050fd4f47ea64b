package io.tatami.block.volume;
/** Opens formatted volumes. */
public final class VolumeOpener {
    private VolumeOpener() {}
}
