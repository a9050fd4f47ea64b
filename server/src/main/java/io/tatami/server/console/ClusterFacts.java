package io.tatami.server.console;

import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.status.CopiesState;
import io.tatami.server.status.MetadataServersText;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusReport.ServerState;
import io.tatami.server.status.StatusReport.VolumeState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The states of a cluster's parts, of which a change is an event: of few values each, so that numbers that always
 * change are none.
 */
final class ClusterFacts {
    static final String BLOCK_SERVER = "block server";
    static final String METADATA_SERVER = "metadata server";
    static final String VOLUME = "volume";
    private static final Set<BlockServerInfo.State> WELL =
            Set.of(BlockServerInfo.State.ACTIVE, BlockServerInfo.State.JOINING);

    private final Map<Subject, Fact> facts = new LinkedHashMap<>();

    /**
     * What a fact is about.
     *
     * @param owner the server that a volume is of; else the name
     */
    record Subject(String kind, String name, String owner) {}

    /**
     * A state.
     *
     * @param state what is compared
     * @param detail the cause or the amount, shown beside the state; may be empty
     */
    record Fact(String state, String detail, boolean isBad) {}

    private ClusterFacts() {}

    static Map<Subject, Fact> of(StatusReport report) {
        ClusterFacts facts = new ClusterFacts();
        facts.put("cluster", "safe mode", on(report.cluster().map().getSafeMode(), ""));
        report.cluster().groups().forEach(facts::addGroup);
        report.metadata().forEach(facts::addMetadataServer);
        report.servers().forEach(facts::addBlockServer);
        facts.addCopies(report.copies());
        return facts.facts;
    }

    private void put(String kind, String name, Fact fact) {
        facts.put(new Subject(kind, name, name), fact);
    }

    private static Fact on(boolean isOn, String detail) {
        return new Fact(isOn ? "on" : "off", detail, isOn);
    }

    private static Fact answers(String failure) {
        return failure.isEmpty() ? new Fact("answers", "", false) : new Fact("does not answer", failure, true);
    }

    private void addGroup(GroupState group) {
        String name = group.group().toString();
        put("group", name, answers(group.failure()));
        if (!group.address().isEmpty()) {
            put("leader", name, new Fact(group.address(), "", false));
        }
    }

    private void addMetadataServer(MetadataServerInfo server) {
        String trouble = MetadataServersText.trouble(server);
        boolean isWell = MetadataServersText.isWell(server);
        String state = !server.getAnswers() ? "does not answer" : isWell ? "well" : "in trouble";
        put(METADATA_SERVER, MetadataServersText.address(server), new Fact(state, isWell ? "" : trouble, !isWell));
    }

    private void addBlockServer(ServerState server) {
        BlockServerInfo info = server.info();
        String name = info.getServerId() + " (" + info.getData().getHost() + ":"
                + info.getData().getPort() + ")";
        String state = info.getState().name().toLowerCase(Locale.ROOT);
        put(BLOCK_SERVER, name, new Fact(info.getDrained() ? "drained" : state, "", !WELL.contains(info.getState())));
        if (server.status() != null || !server.failure().isEmpty()) {
            put("answers", BLOCK_SERVER + " " + name, answers(server.failure()));
        }
        for (VolumeState volume : server.volumes()) {
            facts.put(
                    new Subject(VOLUME, volume.status().getPath() + " of " + BLOCK_SERVER + " " + name, name),
                    volume(volume));
            facts.put(
                    new Subject("damage", volume.status().getPath() + " of " + BLOCK_SERVER + " " + name, name),
                    new Fact(
                            volume.status().getDamagedChunks() + " damaged chunks",
                            volume.status().getStructureDamage(),
                            volume.status().getDamagedChunks() > 0
                                    || !volume.status().getStructureDamage().isEmpty()));
        }
    }

    private static Fact volume(VolumeState volume) {
        boolean isStopped = !volume.status().getFailure().isEmpty();
        boolean isSlow = !volume.slowness().isEmpty();
        String state = isStopped ? "stopped" : isSlow ? "slow" : volume.status().getDraining() ? "draining" : "serves";
        return new Fact(state, isStopped ? volume.status().getFailure() : volume.slowness(), isStopped || isSlow);
    }

    private void addCopies(CopiesState copies) {
        put("copies", "brake", on(!copies.brake().isEmpty(), copies.brake()));
        put("copies", "blocks that wait with one good copy left", some(copies.lastCopyBlocks()));
        if (copies.isJudged()) {
            BlockHealthCounts health = copies.health();
            put("copies", "missing blocks", some(health.getMissing()));
            put("copies", "damaged blocks", some(health.getDamaged()));
        }
    }

    private static Fact some(long count) {
        return new Fact(count == 0 ? "none" : "some", count == 0 ? "" : count + " now", count > 0);
    }
}
