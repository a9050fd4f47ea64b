package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that a command is about: the one that its words name, else that of the environment's TATAMI_URI, else
 * {@code fs.defaultFS} of the configuration on the class path. The plug-in's commands choose alike.
 *
 * @param environment variables by their names; null for what is not set
 * @param files of the class path by their names; null for what is not there
 */
public record NamedCluster(
        Function<String, @Nullable String> environment, Function<String, @Nullable InputStream> files) {
    private static final String VARIABLE = "TATAMI_URI";

    /** A file before another one overrides it. */
    private static final List<String> SITES = List.of("tatami-site.xml", "core-site.xml");

    /** By the environment and the class path of this process. */
    public static NamedCluster ofProcess() {
        return new NamedCluster(System::getenv, name -> NamedCluster.class.getResourceAsStream("/" + name));
    }

    /**
     * @param words null where the command's words name none
     * @throws TatamiException INVALID_ARGUMENT where no cluster is named, or a name is no address
     */
    public ClusterAddress address(@Nullable String words) throws TatamiException {
        if (words != null) {
            return ClusterAddress.of(words);
        }
        String variable = environment.apply(VARIABLE);
        if (variable != null && !variable.isBlank()) {
            return ClusterAddress.of(variable.strip());
        }
        for (String site : SITES) {
            String configured = configured(site);
            if (configured.startsWith("tatami:")) {
                return ClusterAddress.of(configured);
            }
        }
        throw new TatamiException(
                ErrorCode.INVALID_ARGUMENT,
                "no cluster is named: write its URI, tatami://host:port, behind the command, or set " + VARIABLE);
    }

    private String configured(String site) throws TatamiException {
        try (InputStream file = files.apply(site)) {
            return file == null ? "" : SiteFile.read(file, site).foreign("fs.defaultFS");
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, site + " cannot be read: " + e.getMessage(), e);
        }
    }
}
