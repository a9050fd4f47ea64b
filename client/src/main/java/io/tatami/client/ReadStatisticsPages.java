package io.tatami.client;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.client.model.ReadStatisticsReport.OfServer;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadStatistic;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The counts of reads of all block servers, page by page. The superuser asks the namespace's leader, whom block servers
 * believe. Other users ask each server for their own reads.
 */
final class ReadStatisticsPages {
    /** Beyond, a server is asked no more: its table has about a fifth of that. */
    private static final int PAGES_MAX = 50;

    /** A server that does not answer is not asked again and again until all of the time is over. */
    private static final int SILENT_PART = 6;

    /** From the namespace's leader, which may be of a release that passes such questions on for nobody. */
    private static final Set<ErrorCode> NOT_PASSED_ON = EnumSet.of(ErrorCode.PERMISSION_DENIED, ErrorCode.UNSUPPORTED);

    private final MetadataCaller caller;
    private final BlockClient blocks;
    private final ReadStatisticsRequest filter;
    private final Duration timeout;
    private final Duration ofServer;
    private volatile boolean onlyOwn;

    /** @param timeout for all servers together */
    ReadStatisticsPages(MetadataCaller caller, BlockClient blocks, ReadStatisticsRequest filter, Duration timeout) {
        this.timeout = timeout;
        this.ofServer = timeout.dividedBy(SILENT_PART);
        this.caller = caller;
        this.blocks = blocks;
        this.filter = filter;
    }

    ReadStatisticsReport ofAll() throws TatamiException {
        Deadline deadline = caller.deadline().atMost(timeout);
        List<OfServer> answers = new ArrayList<>();
        Map<BlockServerInfo, TatamiException> silent = new LinkedHashMap<>();
        List<BlockServerInfo> servers = caller.router().map().getBlockServerList();
        for (SideBySide.Answer<BlockServerInfo, OfServer> answer :
                SideBySide.ask(servers, timeout, server -> pages(server, deadline))) {
            OfServer value = answer.value();
            TatamiException failure = answer.failure();
            if (value != null) {
                answers.add(value);
            } else if (failure != null) {
                silent.put(answer.target(), failure);
            }
        }
        return new ReadStatisticsReport(answers, silent, !onlyOwn);
    }

    private OfServer pages(BlockServerInfo server, Deadline ofAll) throws TatamiException {
        if (server.getState() == BlockServerInfo.State.DEAD || server.getState() == BlockServerInfo.State.GONE) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the cluster map says that it is dead");
        }
        List<ReadStatistic> items = new ArrayList<>();
        Deadline deadline = ofAll.atMost(ofServer);
        long after = 0;
        long sinceMillis = 0;
        for (int page = 0; page < PAGES_MAX && (page == 0 || after != 0); page++) {
            ReadStatisticsRequest request = filter.toBuilder()
                    .setServerId(server.getServerId())
                    .setAfter(after)
                    .build();
            ReadStatisticsReply reply = ask(server, request, deadline);
            items.addAll(reply.getItemList());
            sinceMillis = reply.getSinceMillis();
            after = reply.getNext();
        }
        return new OfServer(server, sinceMillis, items);
    }

    private ReadStatisticsReply ask(BlockServerInfo server, ReadStatisticsRequest request, Deadline deadline)
            throws TatamiException {
        if (!onlyOwn) {
            try {
                return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.READ_STATISTICS, request, deadline);
            } catch (TatamiException e) {
                if (!NOT_PASSED_ON.contains(e.code())) {
                    throw e;
                }
            }
        }
        ReadStatisticsReply own = blocks.readStatistics(BlockTarget.of(server), request, ofServer.toMillis());
        onlyOwn = true;
        return own;
    }
}
