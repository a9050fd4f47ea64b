package io.tatami.block.volume.space;

import io.tatami.base.Check;

/**
 * The room that a new block asks for.
 *
 * @param wantedBytes the most that it may become, at least 1
 * @param neededBytes nothing shorter is of use, at least 1
 * @param shortFromStart the length is known and below the block size: the block is packed at the high end
 */
public record Reservation(long wantedBytes, long neededBytes, boolean shortFromStart) {
    public Reservation {
        Check.check(
                neededBytes > 0 && wantedBytes >= neededBytes,
                "room for %d bytes, %d at least",
                wantedBytes,
                neededBytes);
    }
}
