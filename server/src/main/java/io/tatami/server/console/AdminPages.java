package io.tatami.server.console;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.AnnouncedPlan;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.ChangeBlockServerRequest.Action;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.StuckBlock;
import io.tatami.server.http.HttpAccess;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpJson;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import io.tatami.server.status.StatusReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What administrators alone see and do, as the server's own user. Each change is logged with the administrator's name,
 * and is an event. All may be repeated.
 */
final class AdminPages {
    private static final Logger LOG = LoggerFactory.getLogger(AdminPages.class);
    private static final Duration PATHS_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PLANS_TIMEOUT = Duration.ofSeconds(5);
    private static final int BALANCE_OFF = -1;
    private static final int BALANCE_DEFAULT = 0;

    private final LazyClient client;
    private final ClusterCollector collector;
    private final ClusterEvents events;
    private final HttpAccess access;
    private final String reader;

    /**
     * @param client of a superuser
     * @param reader in whose name files are read
     */
    AdminPages(LazyClient client, ClusterCollector collector, ClusterEvents events, HttpAccess access, String reader) {
        this.client = client;
        this.collector = collector;
        this.events = events;
        this.access = access;
        this.reader = reader;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/api/session", Right.READ, this::session)
                .get("/api/admin/stuck", Right.ADMINISTER, question -> stuck())
                .get("/api/admin/plans", Right.ADMINISTER, question -> plans())
                .post("/api/admin/drain", Right.ADMINISTER, question -> change(question, Action.DRAIN, "drain"))
                .post(
                        "/api/admin/undrain",
                        Right.ADMINISTER,
                        question -> change(question, Action.SERVE, "end of the drain"))
                .post("/api/admin/balance", Right.ADMINISTER, this::balance)
                .post("/api/admin/scrub", Right.ADMINISTER, this::scrub);
    }

    private HttpAnswer session(HttpQuestion question) {
        Map<String, Object> session = new LinkedHashMap<>();
        session.put("administrator", access.administrator(question).orElse(""));
        session.put("reader", reader);
        return json(session);
    }

    /** Blocks that cannot go on, with the paths of their files, which not everybody may know. */
    private HttpAnswer stuck() throws TatamiException {
        List<StuckBlock> blocks = collector
                .snapshot()
                .map(snapshot -> snapshot.report().copies().stuck())
                .orElse(List.of());
        List<FileId> files = blocks.stream()
                .map(block -> new FileId(block.getFileId()))
                .distinct()
                .toList();
        Map<FileId, TatamiPath> paths = client.get().cluster().paths(files, PATHS_TIMEOUT);
        return json(Map.of(
                "stuck",
                blocks.stream()
                        .map(block -> {
                            TatamiPath path = paths.get(new FileId(block.getFileId()));
                            return Map.of(
                                    "block", Long.toHexString(block.getBlockId()),
                                    "path", path == null ? "" : path.toString(),
                                    "reason", block.getReason());
                        })
                        .toList()));
    }

    /** Whose the access plans are and what they are about, which not everybody may know; by the marks of their ids. */
    private HttpAnswer plans() throws TatamiException {
        List<BlockServerInfo> servers = collector
                .snapshot()
                .map(snapshot -> snapshot.report().servers().stream()
                        .filter(server -> server.status() != null
                                && server.status().getCache().getPlans() > 0)
                        .map(StatusReport.ServerState::info)
                        .toList())
                .orElse(List.of());
        Map<String, Map<String, String>> plans = new LinkedHashMap<>();
        for (AnnouncedPlan plan : client.get().cluster().announcedPlans(servers, PLANS_TIMEOUT)) {
            String mark = ClusterJson.mark(plan.getMark());
            plans.putIfAbsent(mark, Map.of("plan", mark, "user", plan.getUser(), "about", plan.getAbout()));
        }
        return json(Map.of("plans", List.copyOf(plans.values())));
    }

    private HttpAnswer change(HttpQuestion question, Action action, String what) throws TatamiException {
        ClusterAdmin cluster = client.get().cluster();
        int server = server(question);
        note(question, "block server " + server, what);
        var unused = cluster.changeBlockServer(ChangeBlockServerRequest.newBuilder()
                .setServerId(server)
                .setAction(action)
                .build());
        return done();
    }

    private HttpAnswer balance(HttpQuestion question) throws TatamiException {
        boolean isOn = isOn(question);
        note(question, "cluster", "balance " + (isOn ? "on" : "off"));
        var unused = client.get()
                .cluster()
                .changeBlockServer(ChangeBlockServerRequest.newBuilder()
                        .setAction(Action.SET_BALANCE)
                        .setBalancePercent(isOn ? BALANCE_DEFAULT : BALANCE_OFF)
                        .build());
        return done();
    }

    private HttpAnswer scrub(HttpQuestion question) throws TatamiException {
        boolean isOn = isOn(question);
        int id = server(question);
        ClusterAdmin cluster = client.get().cluster();
        BlockServerInfo server = cluster.map().getBlockServerList().stream()
                .filter(known -> known.getServerId() == id)
                .findFirst()
                .orElseThrow(() -> new TatamiException(ErrorCode.NOT_FOUND, "there is no block server " + id));
        note(question, "block server " + id, isOn ? "begin of a scrub" : "end of the scrub");
        var unused = cluster.scrub(server, isOn ? ScrubRequest.Action.START : ScrubRequest.Action.STOP);
        return done();
    }

    private static boolean isOn(HttpQuestion question) throws TatamiException {
        String text = question.required("on");
        if (!text.equals("true") && !text.equals("false")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "on is true or false, not " + text);
        }
        return text.equals("true");
    }

    private static int server(HttpQuestion question) throws TatamiException {
        String text = question.required("server");
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, text + " is no id of a block server");
        }
        return Integer.parseInt(text);
    }

    /** Before it is done, so that also what fails is known to have been tried. */
    private void note(HttpQuestion question, String subject, String what) {
        String user = access.administrator(question).orElse("nobody");
        LOG.info("{} of {}, by {} over HTTP", what, subject, user);
        events.done(user, subject, what);
    }

    private HttpAnswer done() {
        collector.wake();
        return json(Map.of("done", true));
    }

    private static HttpAnswer json(Map<String, Object> json) {
        return HttpJson.of(json);
    }
}
