package io.tatami.block.service.volumes;

import io.tatami.base.TatamiException;
import io.tatami.block.volume.Volume;

/** Where a server's volumes are, and what it remembers of those that were added and removed while it ran. */
public interface VolumePlaces {
    /**
     * Opens a volume, and makes and formats it where it is none yet, by the rules of the server's start.
     *
     * @param capacityBytes of a file that is made; 0 for the size that the server gives
     * @param serving what the server has now
     * @throws TatamiException what keeps it from being opened, with the remedy
     */
    Volume open(String path, long capacityBytes, VolumeSet serving) throws TatamiException;

    /**
     * Closes a volume that has no user any more, and forgets it.
     *
     * @throws TatamiException as {@link Volume#close}; it is forgotten all the same
     */
    void close(Volume volume) throws TatamiException;

    /** As the next start names it: the absolute path. */
    String normal(String path);

    /** What is remembered beside the volumes that the server is started with. */
    RememberedVolumes remembered();
}
