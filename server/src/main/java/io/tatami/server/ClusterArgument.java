package io.tatami.server;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import picocli.CommandLine.Parameters;

/** The cluster that a command is about: its first argument. */
class ClusterArgument {
    @Parameters(index = "0", paramLabel = "URI", description = "tatami://host:port of any metadata server.")
    private String uri;

    /** As {@link ClusterAddress#connect}. */
    final TatamiClient connect() throws TatamiException {
        return ClusterAddress.of(uri).connect();
    }
}
