package io.tatami.server.status;

import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.protocol.wire.ListMetadataServersReply;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Predicate;

/** Tells how far the moves of replicas are, a line for each change, until what somebody waits for is so. */
public record MoveProgress(ClusterAdmin cluster, PrintWriter out) {
    private static final long STEP_MILLIS = 500;

    /** Ended by an interrupt, which the moves do not notice. */
    public void until(Predicate<ListMetadataServersReply> isDone) throws TatamiException, InterruptedException {
        out.println("The cluster continues if this command is stopped with Ctrl-C; 'tatami admin metadata"
                + " status' shows the progress.");
        out.flush();
        List<String> last = List.of();
        ListMetadataServersReply now = cluster.metadataServers();
        while (!isDone.test(now)) {
            List<String> moves = new MetadataServersText(now).moves();
            if (!moves.equals(last)) {
                moves.forEach(out::println);
                out.flush();
            }
            last = moves;
            Thread.sleep(STEP_MILLIS);
            now = cluster.metadataServers();
        }
    }
}
