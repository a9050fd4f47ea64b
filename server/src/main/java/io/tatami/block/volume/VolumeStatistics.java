package io.tatami.block.volume;

/**
 * Counters of a volume at one moment. Byte counts of traffic are of the device, since the volume was opened.
 *
 * @param capacityBytes room for blocks, taken or free
 * @param freeBytes room that no block has, less the reserve
 * @param usedBytes room that blocks have, what writers reserved included
 * @param largestFreeExtentBytes the longest block that could be begun now
 * @param movedBytes of packed blocks that were given another place, since the volume was opened
 * @param failure why the volume stopped, empty while it serves
 */
public record VolumeStatistics(
        long capacityBytes,
        long freeBytes,
        long usedBytes,
        long largestFreeExtentBytes,
        long blocks,
        long readBytes,
        long writtenBytes,
        long errors,
        long damagedChunks,
        long movedBytes,
        String failure) {
    /** Of the room that copies, and blocks of other volumes, may fill: writers have the rest to themselves. */
    private static final double FULL = 0.9;

    /**
     * Whether there is room for copies that are not being written by a program.
     *
     * @param longestBytes of the longest of them
     * @param allBytes of all of them
     */
    public boolean hasRoomForCopies(long longestBytes, long allBytes) {
        return largestFreeExtentBytes >= longestBytes && usedBytes + allBytes <= FULL * capacityBytes;
    }
}
