package io.tatami.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes connections at one address and passes their bytes on to another and back. Either direction may be held up, as
 * by a network that swallows it while TCP sends again, and all connections may be broken. Safe for use by any thread.
 */
public final class TcpRelay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int BACKLOG = 64;

    private final ServerSocket listening = new ServerSocket();
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Gate towards = new Gate();
    private final Gate back = new Gate();
    private volatile boolean refusing;

    /** Starts at once. {@code target} need not listen yet. */
    public TcpRelay(InetSocketAddress at, InetSocketAddress target) throws IOException {
        this.target = target;
        listening.setReuseAddress(true);
        listening.bind(at, BACKLOG);
        start("relay-" + at.getPort(), this::accept);
    }

    /** What goes to the target waits, or goes on. */
    public void holdRequests(boolean held) {
        towards.hold(held);
    }

    /** What comes from the target waits, or goes on. */
    public void holdReplies(boolean held) {
        back.hold(held);
    }

    /** Nobody gets through, or everybody again; who is connected is cut off. */
    public void cut(boolean isCut) {
        refusing = isCut;
        if (isCut) {
            breakConnections();
        }
    }

    /** Ends all connections; what is held up in them is lost. */
    public void breakConnections() {
        for (Socket socket : open) {
            close(socket);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket caller = listening.accept();
                open.add(caller);
                if (refusing) {
                    close(caller);
                } else {
                    start("relay-connect", () -> connect(caller));
                }
            } catch (IOException e) {
                // Closed, or a caller that has gone again.
                continue;
            }
        }
    }

    private void connect(Socket caller) {
        Socket callee = new Socket();
        open.add(callee);
        try {
            caller.setTcpNoDelay(true);
            callee.setTcpNoDelay(true);
            callee.connect(target);
        } catch (IOException e) {
            close(caller);
            close(callee);
            return;
        }
        if (refusing) {
            close(caller);
            close(callee);
            return;
        }
        start("relay-towards", () -> pass(caller, callee, towards));
        start("relay-back", () -> pass(callee, caller, back));
    }

    private void pass(Socket from, Socket to, Gate gate) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length = in.read(buffer);
            while (length >= 0) {
                gate.await(from);
                out.write(buffer, 0, length);
                length = in.read(buffer);
            }
        } catch (IOException e) {
            // One side has gone: the other goes with it.
        } finally {
            close(from);
            close(to);
        }
    }

    private void close(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException("a socket that cannot be closed", e);
        }
        towards.wake();
        back.wake();
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut(true);
    }

    /** Where bytes wait. */
    private static final class Gate {
        private boolean held;

        synchronized void hold(boolean wanted) {
            held = wanted;
            notifyAll();
        }

        synchronized void wake() {
            notifyAll();
        }

        synchronized void await(Socket socket) throws IOException {
            while (held && !socket.isClosed()) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            if (socket.isClosed()) {
                throw new IOException("broken while held up");
            }
        }
    }
}
