package io.tatami.benchmarks.workload.ceiling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A headless Chromium, of the system's packages, in which the console is looked at. */
final class ConsoleBrowser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Path PICTURES = Path.of("target/screenshots");
    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

    private final ChromeDriver driver;

    /** How the page is looked at. */
    enum Look {
        WIDE_LIGHT(1280, "light"),
        WIDE_DARK(1280, "dark"),
        NARROW_LIGHT(360, "light"),
        NARROW_DARK(360, "dark");

        private final int width;
        private final String scheme;

        Look(int width, String scheme) {
            this.width = width;
            this.scheme = scheme;
        }
    }

    ConsoleBrowser() throws IOException {
        Files.createDirectories(PICTURES);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(System.getProperty("tatami.test.chromium", "/usr/bin/chromium"));
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(
                                Path.of(System.getProperty("tatami.test.chromedriver", "/usr/bin/chromedriver"))
                                        .toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
        driver.manage().timeouts().scriptTimeout(PATIENCE);
    }

    void look(Look look) {
        var unused = driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", look.width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        unused = driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", look.scheme))));
    }

    void open(String url) {
        driver.get("about:blank");
        driver.get(url);
    }

    /** Waits until a script gives true. */
    void await(String script) {
        var unused = new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50))
                .withMessage(() -> script + " in " + text("body"))
                .until(waiting -> Boolean.TRUE.equals(driver.executeScript("return " + script)));
    }

    void awaitText(String selector, String part) {
        var unused = new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50))
                .withMessage(() -> "'" + part + "' in " + selector + ", which has " + text(selector))
                .until(waiting -> text(selector).contains(part));
    }

    String text(String selector) {
        return String.valueOf(driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].map(each => each.innerText).join('\\n')",
                selector));
    }

    Object run(String script, Object... arguments) {
        Object value = driver.executeScript(script, arguments);
        return value == null ? "" : value;
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    WebElement active() {
        return driver.switchTo().activeElement();
    }

    String url() {
        return String.valueOf(driver.getCurrentUrl());
    }

    /** What axe-core finds against WCAG 2.1 A and AA and its own good practice. */
    void checkRoles(String page) throws IOException {
        try (InputStream axe = ConsoleBrowser.class.getResourceAsStream(AXE)) {
            assertNotNull(axe, AXE);
            driver.executeScript(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        }
        Object found = driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document, {resultTypes: ['violations']}).then(result => done(result.violations.map(each =>
                  each.id + ': ' + each.help + ': ' + each.nodes.map(node => node.html.slice(0, 200)).slice(0, 3).join(' | '))),
                  failure => done(['axe failed: ' + failure]));""");
        assertEquals(List.of(), found, page);
    }

    /** Nothing is beside the window, whatever its width. */
    void checkWidth(String page) {
        Object beyond =
                run("return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)");
        assertEquals(0L, beyond, page + " is wider than its window");
    }

    /**
     * Neither a script's error nor something that the content policy forbids; refusals of answers are no errors here.
     */
    void checkLog(String page) {
        List<String> bad = driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(String::valueOf)
                .filter(line -> !line.contains("Failed to load resource"))
                .filter(line -> line.contains("SEVERE") || line.contains("Content Security Policy"))
                .toList();
        assertEquals(List.of(), bad, page);
    }

    void picture(String name) throws IOException {
        long height = Math.min(4_000, ((Number) run("return document.documentElement.scrollHeight")).longValue());
        assertTrue(height > 0, name);
        Object data = driver.executeCdpCommand(
                        "Page.captureScreenshot", Map.of("captureBeyondViewport", height > 900, "format", "png"))
                .get("data");
        Files.write(PICTURES.resolve(name + ".png"), OutputType.BYTES.convertFromBase64Png(String.valueOf(data)));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
