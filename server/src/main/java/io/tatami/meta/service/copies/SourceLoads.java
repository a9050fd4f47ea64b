package io.tatami.meta.service.copies;

import io.tatami.base.ServerId;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What block servers are to send of copies that are being made, so that no one of them sends most. The records name the
 * writer's server first, which without this would be the source of all blocks that were written there. Used by one
 * thread.
 */
final class SourceLoads {
    private final Map<ServerId, Long> bytes;

    /** @param underWay by server, the bytes of copies that were asked for and are made from its own */
    SourceLoads(Map<ServerId, Long> underWay) {
        bytes = new HashMap<>(underWay);
    }

    /**
     * The sources of one more copy, those with the least to send first, as they stand in {@code sources} where they
     * have the same. The first one has the copy's bytes to send from now on.
     */
    List<WriteTarget> order(List<WriteTarget> sources, long lengthBytes) {
        List<WriteTarget> ordered = new ArrayList<>(sources);
        ordered.sort(Comparator.comparingLong(source -> bytes.getOrDefault(server(source), 0L)));
        if (!ordered.isEmpty()) {
            bytes.merge(server(ordered.get(0)), lengthBytes, Long::sum);
        }
        return ordered;
    }

    private static ServerId server(WriteTarget source) {
        return new ServerId(source.getServerId());
    }
}
