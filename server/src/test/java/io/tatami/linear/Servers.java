package io.tatami.linear;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The metadata servers of a cluster, for clients to ask and for mishaps to happen to. Used by one thread. All run while
 * no mishap is under way; a server keeps its address for life.
 */
interface Servers extends AutoCloseable {
    /** One for each server. */
    List<InetSocketAddress> addresses();

    /** How a server ends; {@code kill} or {@code stop}. */
    default String wayToEnd() {
        return "stop";
    }

    /** Whether {@link #pause} can be asked for. */
    default boolean canPause() {
        return false;
    }

    /** Ends a server as roughly as may be. */
    void end(int server) throws IOException, InterruptedException;

    /** Begins a server that has ended, on what it has stored, and returns when it serves. */
    void begin(int server) throws IOException, InterruptedException;

    /** Stops a server where it is; its connections stay open, and nothing is answered. */
    default void pause(int server) throws IOException {
        throw new UnsupportedOperationException("a server in this JVM cannot be paused");
    }

    /** Lets a server go on that was paused. */
    default void resume(int server) throws IOException {
        throw new UnsupportedOperationException("a server in this JVM cannot be paused");
    }

    /** The most that a mishap lasts. */
    default int mishapMillisMax() {
        return canPause() ? 1_500 : 600;
    }

    /** Whether {@link #cutPeers} and {@link #holdPeers} can be asked for. */
    default boolean canCutPeers() {
        return false;
    }

    /** Lets nothing through from the other servers to this one, and breaks their connections; or everything again. */
    default void cutPeers(int server, boolean cut) {
        throw new UnsupportedOperationException("these servers do not keep together");
    }

    /**
     * Holds up what this server says to the others when they ask it, as a network that loses packets; or lets it go on.
     */
    default void holdPeers(int server, boolean held) {
        throw new UnsupportedOperationException("these servers do not keep together");
    }

    /**
     * What threads of this JVM do now, and, of servers in processes of their own, what those said and do: for who looks
     * for the cause of a failure.
     */
    default String report() throws IOException, InterruptedException {
        StringBuilder report = new StringBuilder("this JVM:\n");
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            report.append(thread).append(' ').append(thread.getState()).append('\n');
            for (StackTraceElement frame : frames) {
                report.append("    at ").append(frame).append('\n');
            }
        });
        return report.toString();
    }

    @Override
    void close() throws IOException;
}
