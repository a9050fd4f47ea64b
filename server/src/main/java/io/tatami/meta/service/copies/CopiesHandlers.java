package io.tatami.meta.service.copies;

import io.tatami.base.ServerId;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import io.tatami.meta.op.copies.CountCopies;
import io.tatami.meta.op.copies.RecordCopies;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.CountCopiesRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CopiesStatusReply;

/** The part of a shard that has copies made and given up, and tells how well they are. */
public final class CopiesHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) throws SettingException {
        Settings settings = parts.settings();
        ServerStandings standings = new ServerStandings(
                parts.clock(), settings.get(CopySettings.LOST_AFTER), settings.get(CopySettings.SILENT_PERCENT_MAX));
        CopyScheduler maker = new CopyScheduler(parts, standings, settings.get(CopySettings.IN_FLIGHT_MAX));
        DeadServers lost = new DeadServers(parts, standings);
        Balancer balancer = new Balancer(parts, standings, maker);
        CopiesOfServer ofServer = new CopiesOfServer(parts.peers(), maker, lost, new DrainProgress(parts.clock()));
        RecordCopies record = new RecordCopies();
        CountCopies count = new CountCopies();
        table.flow(
                        MetaMethods.COPIES_MADE,
                        (origin, report) -> parts.group()
                                .submit(record, origin, report)
                                .thenApply(done -> {
                                    maker.reported(report);
                                    return done;
                                }))
                .flow(
                        MetaMethods.COPIES_STATUS,
                        (origin, asked) -> parts.group()
                                .read(
                                        count,
                                        origin,
                                        CountCopiesRequest.newBuilder()
                                                .setServerId(asked.getServerId())
                                                .setOnlyWhetherDrained(asked.getOnlyWhetherDrained())
                                                .setGivenUp(ofServer.isGivenUp(new ServerId(asked.getServerId())))
                                                .build())
                                .thenApply(counted -> {
                                    boolean isKnown = asked.getOnlyWhetherDrained()
                                            && !ofServer.isGivenUp(new ServerId(asked.getServerId()));
                                    if (isKnown) {
                                        return counted;
                                    }
                                    if (asked.getServerId() != 0) {
                                        return ofServer.complete(new ServerId(asked.getServerId()), counted);
                                    }
                                    CopiesStatusReply.Builder status = counted.toBuilder();
                                    maker.addTo(status);
                                    balancer.addTo(status);
                                    return status.build();
                                }))
                .flow(MetaMethods.FSCK, new CheckFlow(parts.group(), parts.peers(), standings))
                .background("copies", "u", maker::run)
                .background("files with other copies", "u", new ChangedFiles(parts)::run)
                .background("balance of servers", "", balancer::run)
                .background("blocks of lost servers", "", lost::run);
    }
}
