package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusReport.ServerState;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes an event. */
class ClusterEventsTest {
    private final ClusterEvents events = new ClusterEvents(Clock.SYSTEM);

    private static ServerState server(int id, State state, String failure, VolumeStatus... volumes) {
        BlockServerInfo info =
                BlockServerInfo.newBuilder().setServerId(id).setState(state).build();
        BlockServerStatusReply status = failure.isEmpty()
                ? BlockServerStatusReply.newBuilder()
                        .addAllVolume(Arrays.asList(volumes))
                        .build()
                : null;
        return new ServerState(info, status, failure, List.of());
    }

    private static StatusReport report(String leader, ServerState... servers) {
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (ServerState server : servers) {
            map.addBlockServer(server.info());
        }
        GroupState group = new GroupState(
                GroupId.NAMESPACE,
                leader,
                leader.isEmpty() ? null : GroupStatusReply.getDefaultInstance(),
                leader.isEmpty() ? "no answer" : "");
        return StatusReport.of(new ClusterStatus(map.build(), List.of(group)), List.of(), List.of(servers));
    }

    private static VolumeStatus volume(String failure, long damagedChunks) {
        return VolumeStatus.newBuilder()
                .setPath("/dev/a")
                .setFailure(failure)
                .setDamagedChunks(damagedChunks)
                .build();
    }

    private List<String> texts() {
        return events.last("", "", ClusterEvents.KEPT_MAX).stream()
                .map(event -> event.kind() + ": " + event.text())
                .toList();
    }

    @Test
    void aClusterThatIsWellIsOneEventAndThatItStaysSoNone() {
        StatusReport well = report("m:1", server(1, State.ACTIVE, "", volume("", 0)));
        events.saw(well);
        events.saw(well);
        assertEquals(List.of("console: began to watch the cluster"), texts());
    }

    @Test
    void aServerThatJoinsIsOneEventAndItsTroubleAnother() {
        events.saw(report("m:1"));
        events.saw(report("m:1", server(1, State.ACTIVE, "", volume("", 0)), server(2, State.ACTIVE, "no answer")));
        assertEquals(
                List.of(
                        "answers: is new here: does not answer: no answer",
                        "block server: is new here: active",
                        "block server: is new here: active",
                        "console: began to watch the cluster"),
                texts());
    }

    @Test
    void changesOfServersVolumesAndLeadersAreEvents() {
        events.saw(report("m:1", server(1, State.ACTIVE, "", volume("", 0))));
        events.saw(report("m:2", server(1, State.STALE, "", volume("input/output error", 2))));
        List<String> texts = texts();
        assertTrue(texts.contains("leader: m:1 → m:2"), texts::toString);
        assertTrue(texts.contains("block server: active → stale"), texts::toString);
        assertTrue(texts.contains("volume: serves → stopped: input/output error"), texts::toString);
        assertTrue(texts.contains("damage: 0 damaged chunks → 2 damaged chunks"), texts::toString);
        assertEquals(5, texts.size(), texts::toString);
    }

    @Test
    void volumesOfAServerThatDoesNotAnswerAreNotGone() {
        events.saw(report("m:1", server(1, State.ACTIVE, "", volume("", 0))));
        events.saw(report("m:1", server(1, State.ACTIVE, "no answer within 10 s")));
        events.saw(report("m:1", server(1, State.ACTIVE, "", volume("", 0))));
        assertEquals(
                List.of(
                        "answers: does not answer → answers",
                        "answers: answers → does not answer: no answer within 10 s",
                        "console: began to watch the cluster"),
                texts());
    }

    @Test
    void aServerThatIsForgottenLeavesWithItsVolumes() {
        events.saw(report("m:1", server(1, State.ACTIVE, "", volume("", 0)), server(2, State.ACTIVE, "")));
        events.saw(report("m:1", server(2, State.ACTIVE, "")));
        assertTrue(texts().contains("volume: is not in the cluster any more"), () -> texts().toString());
        assertTrue(texts().contains("block server: is not in the cluster any more"), () -> texts().toString());
    }

    @Test
    void aFailureIsToldOnceUntilTheClusterAnswers() {
        events.saw(report("m:1"));
        events.failed("no answer");
        events.failed("no answer");
        events.saw(report("m:1"));
        assertEquals(
                List.of(
                        "console: the cluster answers again",
                        "console: cannot ask the cluster: no answer",
                        "console: began to watch the cluster"),
                texts());
    }

    @Test
    void theOldestGiveWayAndTextsAreCut() {
        for (int i = 0; i <= ClusterEvents.KEPT_MAX; i++) {
            events.done("anna", "server " + i, "x".repeat(1_000));
        }
        List<ClusterEvents.Event> kept = events.last("", "", 2_000);
        assertEquals(ClusterEvents.KEPT_MAX, kept.size());
        assertEquals("server " + ClusterEvents.KEPT_MAX, kept.get(0).subject());
        assertEquals("server 1", kept.get(kept.size() - 1).subject());
        assertEquals(501, kept.get(0).text().length());
    }
}
