package io.tatami.server.console;

import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** The console's files, out of the jar: its own, and those of the library that draws curves. */
final class ConsoleAssets {
    private static final String CURVES = "/META-INF/resources/webjars/uplot/1.6.30/";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";
    private static final Map<String, Asset> ASSETS = assets();

    /**
     * One file.
     *
     * @param resource where it is in the class path
     */
    private record Asset(String resource, String contentType) {}

    private ConsoleAssets() {}

    private static Map<String, Asset> assets() {
        Map<String, Asset> assets = new LinkedHashMap<>();
        assets.put("", new Asset("index.html", "text/html; charset=utf-8"));
        assets.put("style.css", new Asset("style.css", STYLE));
        assets.put("icon.svg", new Asset("icon.svg", "image/svg+xml"));
        for (String module : new String[] {
            "main",
            "server",
            "element",
            "text",
            "table",
            "curve",
            "administer",
            "overview",
            "nodes",
            "groups",
            "hot",
            "files",
            "plans",
            "pending",
            "events"
        }) {
            assets.put(module + ".js", new Asset(module + ".js", SCRIPT));
        }
        assets.put("uplot.js", new Asset(CURVES + "dist/uPlot.esm.js", SCRIPT));
        assets.put("uplot.css", new Asset(CURVES + "dist/uPlot.min.css", STYLE));
        assets.put("uplot-license.txt", new Asset(CURVES + "LICENSE", "text/plain; charset=utf-8"));
        return assets;
    }

    static void addTo(HttpRoutes routes) {
        ASSETS.forEach((name, asset) -> {
            HttpAnswer answer = HttpAnswer.of(HttpAnswer.OK, asset.contentType(), bytes(asset.resource()));
            routes.get("/console/" + name, Right.READ, question -> answer);
        });
    }

    private static byte[] bytes(String resource) {
        try (InputStream in = ConsoleAssets.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the console's file " + resource + " is not in the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException("the console's file " + resource + " cannot be read", e);
        }
    }
}
