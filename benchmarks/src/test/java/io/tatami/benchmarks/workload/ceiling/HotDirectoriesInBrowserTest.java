package io.tatami.benchmarks.workload.ceiling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.workload.ceiling.ConsoleBrowser.Look;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.console.ServedConsole;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** Hot directories on the console's page of groups, in a browser; the pictures are in {@code target/screenshots}. */
@Tag("browser")
@Timeout(240)
class HotDirectoriesInBrowserTest {
    private static final String SCRIPT = "<script>alert(1)<!--&\"'";
    private static final String SECTION = "main section";

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

    private static void show(ServedConsole console) {
        browser.open(console.url("/console/#/groups"));
        browser.await("document.querySelector('main h1') !== null && document.querySelector('main .waits') === null");
        browser.awaitText("#freshness", "as of");
    }

    private static void becomeAdministrator(ServedConsole console) {
        browser.open(console.url("/#invitation=" + console.invite()));
        browser.awaitText("#session", "administrator: anna");
        show(console);
    }

    private static void write(TatamiClient client, TatamiPath path) throws IOException {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT)) {
            writer.write(new byte[1], 0, 1);
        }
    }

    @Test
    void administratorsSeeThemAsTextOnceTheyAskAndOthersWhereTheyAre() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "500ms");
                TatamiClient client = console.client()) {
            TatamiPath hot = TatamiPath.of("/" + SCRIPT);
            assertTrue(client.mkdirs(hot, CreateSpec.modes(0755, 0), true));
            browser.look(Look.WIDE_LIGHT);
            show(console);
            browser.awaitText(SECTION, "Administrators see which directories");
            assertEquals(0L, browser.run("return document.querySelectorAll('main section button').length"));
            becomeAdministrator(console);
            assertEquals(0L, browser.run("return document.querySelectorAll('main section table').length"));
            browser.find(SECTION + " button").sendKeys(Keys.ENTER);
            browser.awaitText(SECTION, "Measuring for a second");
            boolean isShown = false;
            for (int i = 0; !isShown; i++) {
                write(client, hot.child("file-" + i));
                isShown = browser.text(SECTION).contains(SCRIPT);
            }
            assertEquals(0L, browser.run("return document.querySelectorAll('main script').length"));
            browser.await("document.activeElement.innerText === 'Look for hot directories'");
            for (Look look : Look.values()) {
                browser.look(look);
                String picture = "hot-directories-" + look.name().toLowerCase(Locale.ROOT);
                browser.picture(picture);
                browser.checkWidth(picture);
                browser.checkRoles(picture);
                browser.checkLog(picture);
            }
            browser.look(Look.WIDE_LIGHT);
            browser.awaitText(SECTION, "No client has asked for anything in a directory");
            browser.run("[...document.querySelectorAll('#session button')][0].click()");
            browser.awaitText(SECTION, "Administrators see which directories");
        }
    }

    @Test
    void aClusterThatDoesNotAnswerIsToldInTheirPlace() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "500ms")) {
            browser.look(Look.WIDE_LIGHT);
            becomeAdministrator(console);
            console.closeCluster();
            browser.find(SECTION + " button").sendKeys(Keys.ENTER);
            browser.awaitText(SECTION, "Hot directories cannot be shown: ");
            browser.picture("hot-directories-refused");
            browser.checkRoles("refused");
        }
    }
}
