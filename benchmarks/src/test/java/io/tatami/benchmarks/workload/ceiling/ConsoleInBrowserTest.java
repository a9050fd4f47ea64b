package io.tatami.benchmarks.workload.ceiling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.benchmarks.workload.ceiling.ConsoleBrowser.Look;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.console.ServedConsole;
import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The console in a browser; the pictures are in {@code target/screenshots}. */
@Tag("browser")
@Timeout(240)
class ConsoleInBrowserTest {
    private static final String SCRIPT = "<script>alert(1)<!--&\"'";
    private static final long TIER_BYTES = 16L << 20;
    private static final List<String> PAGES =
            List.of("overview", "nodes", "groups", "files", "plans", "pending", "events");

    @TempDir
    private Path directory;

    private static ConsoleBrowser browser;

    @BeforeAll
    static void start() throws IOException {
        browser = new ConsoleBrowser();
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    /** With files of several kinds, and three block servers. */
    private ServedConsole three() throws Exception {
        ServedConsole console = new ServedConsole(directory, "500ms");
        console.addBlockServer();
        console.addBlockServer();
        try (TatamiClient client = console.client()) {
            assertTrue(client.mkdirs(TatamiPath.of("/data/parts"), CreateSpec.modes(0755, 0), true));
            assertTrue(client.mkdirs(TatamiPath.of("/secret"), CreateSpec.modes(0700, 0), true));
            assertTrue(client.mkdirs(TatamiPath.of("/empty"), CreateSpec.modes(0755, 0), true));
            write(client, "/data/" + SCRIPT, 30_000, 3);
            write(client, "/data/short", 100, 1);
            write(client, "/data/long", 5 << 20, 2);
        }
        return console;
    }

    private static void write(TatamiClient client, String path, int length, int copies) throws IOException {
        CreateSpec spec = CreateSpec.DEFAULT.withBlockSizeBytes(1 << 20).withReplication(copies);
        try (FileWriter writer = client.create(TatamiPath.of(path), spec)) {
            writer.write(new byte[length], 0, length);
        }
    }

    private static void show(ServedConsole console, String page) {
        browser.open(console.url("/console/#/" + page));
        browser.await("document.querySelector('main h1') !== null && document.querySelector('main .waits') === null");
        browser.await("!document.querySelector('main').innerText.includes('Asking')");
        browser.awaitText("#freshness", "as of");
    }

    private static void check(ServedConsole console, String page, String name) throws IOException {
        for (Look look : Look.values()) {
            browser.look(look);
            show(console, page);
            String picture = name + "-" + look.name().toLowerCase(Locale.ROOT);
            browser.picture(picture);
            browser.checkWidth(picture);
            browser.checkRoles(picture);
            browser.checkLog(picture);
        }
    }

    @Test
    void eachPageIsReadableInEachLookWithThreeServers() throws Exception {
        try (ServedConsole console = three()) {
            for (String page : PAGES) {
                check(console, page, "three-" + page);
            }
            check(console, "files?path=/data", "three-directory");
            check(console, "files?path=/data/long&file", "three-file");
            check(console, "files?path=/secret", "three-refused");
            check(console, "files?path=/empty", "three-empty");
        }
    }

    @Test
    void eachPageIsReadableInEachLookWithThreeHundredServers() throws Exception {
        RpcSettings settings = RpcSettings.from(Settings.of(Map.of()));
        try (ServedConsole console = new ServedConsole(directory, "1s");
                EventLoops loops = new EventLoops("fakes", settings);
                FakeFleet fleet = new FakeFleet(
                        300,
                        2,
                        console.node().metadata().cluster(),
                        List.of(console.node().metadata().address()),
                        loops,
                        settings)) {
            fleet.talk();
            while (console.json("/api/cluster").get("data").get("block_servers").size() < 301) {
                Thread.sleep(100);
            }
            for (String page : PAGES) {
                check(console, page, "many-" + page);
            }
            browser.look(Look.WIDE_LIGHT);
            show(console, "nodes");
            assertEquals(25L, browser.run("return document.querySelector('main tbody').children.length"));
            browser.awaitText("main .pages", "1–25 of 301");
            int silent = fleet.silence(299);
            browser.awaitText("main tbody tr.is-bad", String.valueOf(silent));
            assertEquals(
                    String.valueOf(silent),
                    browser.run("return document.querySelector('main tbody th').innerText"),
                    "what is bad comes first");
            browser.picture("many-nodes-one-silent");
            show(console, "overview");
            browser.picture("many-overview-one-silent");
        }
    }

    @Test
    void aNameWithScriptIsShownAsTextAndLeadsToItsFile() throws Exception {
        try (ServedConsole console = three()) {
            browser.look(Look.WIDE_LIGHT);
            show(console, "files?path=/data");
            browser.awaitText("main tbody", SCRIPT);
            assertEquals(0L, browser.run("return document.querySelectorAll('main script').length"));
            browser.run(
                    "[...document.querySelectorAll('main tbody a')].find(link => link.innerText === arguments[0]).click()",
                    SCRIPT);
            browser.awaitText("main .map caption", "Copies");
            browser.awaitText("main .crumbs", SCRIPT);
            browser.checkLog("script");
        }
    }

    /** By the Tab key, from the first control until the page ends. */
    @Test
    void everyControlIsReachedByKeyboard() throws Exception {
        try (ServedConsole console = three()) {
            browser.look(Look.NARROW_LIGHT);
            for (String page :
                    List.of("overview", "nodes", "groups", "files?path=/data", "plans", "pending", "events")) {
                show(console, page);
                Object controls = browser.run("""
                        window.controls = [...document.querySelectorAll('a[href], button:not(:disabled), input, select, [tabindex="0"]')]
                          .filter(each => each.checkVisibility()).length;
                        window.reached = new Set();
                        return window.controls""");
                for (long step = 0; step <= (long) controls; step++) {
                    browser.active().sendKeys(Keys.TAB);
                    browser.run("window.reached.add(document.activeElement)");
                }
                browser.find(".skip").sendKeys(Keys.ENTER);
                browser.await("document.activeElement.id === 'content'");
                Object missed = browser.run("""
                        return [...document.querySelectorAll('a[href], button:not(:disabled), input, select, [tabindex="0"]')]
                          .filter(each => each.checkVisibility() && !window.reached.has(each)).map(each => each.outerHTML)""");
                assertEquals(List.of(), missed, page);
            }
        }
    }

    @Test
    void aLinkMakesAnAdministratorWhoIsAskedBeforeAnythingIsDone() throws Exception {
        try (ServedConsole console = three();
                TatamiClient client = console.client()) {
            browser.look(Look.WIDE_LIGHT);
            show(console, "nodes");
            assertEquals(0L, browser.run("return document.querySelectorAll('main .row-actions button').length"));
            browser.open(console.url("/#invitation=" + console.invite()));
            browser.awaitText("#session", "administrator: anna");
            assertFalse(browser.url().contains("invitation"), browser.url());
            show(console, "nodes");
            browser.await("document.querySelectorAll('main .row-actions button').length >= 6");
            browser.checkRoles("administrator");
            browser.picture("administrator-nodes");
            browser.find("button[aria-label='Drain block server 2']").sendKeys(Keys.ENTER);
            browser.awaitText("dialog", "Drain block server 2?");
            assertEquals("Cancel", browser.active().getText());
            browser.checkRoles("confirmation");
            browser.picture("administrator-confirmation");
            browser.active().sendKeys(Keys.ESCAPE);
            browser.await("!document.querySelector('dialog').open");
            assertEquals("ACTIVE", stateOf(client, 2));
            browser.find("button[aria-label='Drain block server 2']").sendKeys(Keys.ENTER);
            browser.active().sendKeys(Keys.TAB);
            browser.active().sendKeys(Keys.ENTER);
            browser.await("document.querySelector(\"button[aria-label='End drain of block server 2']\") !== null");
            assertEquals("DRAINING", stateOf(client, 2));
            browser.run("[...document.querySelectorAll('#session button')][0].click()");
            browser.awaitText("#session", "reads as nobody");
            browser.await("document.querySelectorAll('main .row-actions button').length === 0");
        }
    }

    @Test
    void administratorsSeeWhosePlansAreAndAPathWithScriptIsShownAsText() throws Exception {
        String path = "/" + SCRIPT;
        try (ServedConsole console = new ServedConsole(directory, "500ms", new BlockNode.CachePlace(null, TIER_BYTES));
                TatamiClient client = console.client()) {
            write(client, path, 30_000, 1);
            assertEquals(
                    1,
                    client.prefetch(AccessPlan.inOrder(AccessPlan.Read.whole(TatamiPath.of(path))))
                            .size());
            browser.look(Look.WIDE_LIGHT);
            show(console, "plans");
            browser.await("document.querySelector('main tbody code') !== null");
            browser.awaitText("main", "Administrators see whose the plans are");
            assertFalse(browser.text("main").contains(SCRIPT), browser.text("main"));
            browser.open(console.url("/#invitation=" + console.invite()));
            browser.awaitText("#session", "administrator: anna");
            show(console, "plans");
            browser.awaitText("main tbody", path);
            browser.awaitText("main tbody", System.getProperty("user.name"));
            assertEquals(0L, browser.run("return document.querySelectorAll('main script').length"));
            browser.checkWidth("administrator-plans");
            browser.checkRoles("administrator-plans");
            browser.checkLog("administrator-plans");
            browser.picture("administrator-plans");
            browser.run("[...document.querySelectorAll('#session button')][0].click()");
            browser.awaitText("#session", "reads as nobody");
            browser.await("!document.querySelector('main').innerText.includes('<script>')");
        }
    }

    private static String stateOf(TatamiClient client, int server) throws TatamiException {
        return client.cluster().map().getBlockServerList().stream()
                .filter(known -> known.getServerId() == server)
                .findFirst()
                .orElseThrow()
                .getState()
                .name();
    }

    @Test
    void errorsSayWhatIsWrongAndOldFiguresSayThatTheyAreOld() throws Exception {
        try (ServedConsole console = three()) {
            browser.look(Look.WIDE_LIGHT);
            Map<String, String> refused = new LinkedHashMap<>();
            refused.put("files?path=/secret", "nobody may not read this.");
            refused.put("files?path=/none", "There is nothing here.");
            refused.put("files?path=none", "This cannot be shown.");
            for (Map.Entry<String, String> each : refused.entrySet()) {
                show(console, each.getKey());
                browser.awaitText("main [role=alert]", each.getValue());
            }
            show(console, "overview");
            console.closeCluster();
            browser.awaitText("#trouble", "These figures are not renewed: ");
            browser.awaitText("#freshness", "not renewed");
            assertTrue(browser.text("main h1").contains("Overview"), "the last figures stay");
            browser.picture("old-overview");
            browser.checkRoles("old");
        }
    }
}
