package io.tatami.linear;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The metadata servers of a cluster, for clients to ask and for mishaps to happen to. Used by one thread. All run while no
 * mishap is under way; a server keeps its address for life.
 */
interface Servers extends AutoCloseable {
    /** One for each server. */
    List<InetSocketAddress> addresses();

    /** How a server ends; {@code kill} or {@code stop}. */
    String wayToEnd();

    /** Whether {@link #pause} can be asked for. */
    boolean canPause();

    /** Ends a server as roughly as may be. */
    void end(int server) throws IOException, InterruptedException;

    /** Begins a server that has ended, on what it has stored, and returns when it serves. */
    void begin(int server) throws IOException, InterruptedException;

    /** Stops a server where it is; its connections stay open, and nothing is answered. */
    void pause(int server) throws IOException;

    /** Lets a server go on that was paused. */
    void resume(int server) throws IOException;

    @Override
    void close() throws IOException;
}
