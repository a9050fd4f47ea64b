package io.tatami.block.cache;

import java.util.UUID;

/**
 * The id of an access plan, minted by the client that made it; the same on every server that holds some of its blocks.
 */
public record PlanId(UUID value) {
    @Override
    public String toString() {
        return value.toString();
    }
}
