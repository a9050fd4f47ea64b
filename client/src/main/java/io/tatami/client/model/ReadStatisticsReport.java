package io.tatami.client.model;

import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadStatistic;
import java.util.List;
import java.util.Map;

/**
 * What readers read of the block servers of a cluster.
 *
 * @param silent the servers that did not answer, or not to the end, each with the reason
 * @param ofAllUsers whether the reads of all users are there, rather than those of the one who asked
 */
public record ReadStatisticsReport(
        List<OfServer> servers, Map<BlockServerInfo, TatamiException> silent, boolean ofAllUsers) {
    /** @param sinceMillis when the server began to count, by its wall clock */
    public record OfServer(BlockServerInfo server, long sinceMillis, List<ReadStatistic> items) {}
}
