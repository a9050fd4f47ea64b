package io.tatami.server.metrics;

import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The metrics of this process as a scraper gets them. Safe for use by many threads. */
public final class MetricsPage {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ExpositionFormats formats = ExpositionFormats.init();

    /**
     * One answer to a scrape.
     *
     * @param contentType names the format, as the scraper asked for it
     */
    public record Text(String contentType, byte[] body) {}

    /** @param version of this release */
    public MetricsPage(String version) {
        JvmMetrics.builder().register(registry);
        Info.builder()
                .name("tatami_build")
                .help("The release of this server.")
                .labelNames("version")
                .register(registry)
                .addLabelValues(version);
    }

    /** Where all metrics of this process are. */
    public PrometheusRegistry registry() {
        return registry;
    }

    /** All metrics at this moment. */
    public synchronized MetricSnapshots snapshot() {
        return registry.scrape();
    }

    /** @param accept the header of a scraper, which may name OpenMetrics; null for Prometheus's text */
    public Text text(@Nullable String accept) {
        ExpositionFormatWriter writer = formats.findWriter(accept);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try {
            writer.write(body, snapshot());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Text(writer.getContentType(), body.toByteArray());
    }
}
