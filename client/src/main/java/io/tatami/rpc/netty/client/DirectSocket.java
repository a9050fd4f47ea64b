package io.tatami.rpc.netty.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.tatami.base.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A socket that the thread that uses it waits for itself, in place of an event loop. Netty's sockets do not block, so
 * it has an epoll instance of its own. Used by one thread at a time.
 */
final class DirectSocket implements AutoCloseable {
    /** How long is waited without a look around. Netty needs no timer for so little. */
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

    /** The socket, and what Netty keeps beside it. */
    private static final int EVENTS_MAX = 4;

    private static final IoHandlerContext WAIT = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return WAIT_NANOS;
        }

        @Override
        public long deadlineNanos() {
            return Clock.SYSTEM.monotonicNanos() + WAIT_NANOS;
        }
    };

    /** Whoever uses the socket runs what there is to run. */
    private static final ThreadAwareExecutor USER = new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable command) {
            command.run();
        }
    };

    private final Socket socket;
    private final IoHandler poll;
    private final IoRegistration registration;

    private DirectSocket(Socket socket, IoHandler poll, IoRegistration registration) {
        this.socket = socket;
        this.poll = poll;
        this.registration = registration;
    }

    /** Needs no more than to be waited for. */
    private record Handle(Socket socket) implements EpollIoHandle {
        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            // Who waited looks at the socket.
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** What is done between two waits, so that it can end them. */
    interface Patience {
        void check() throws IOException;
    }

    /** Connects, and waits until that is done or {@code patience} ends it. */
    static DirectSocket connect(SocketAddress address, Patience patience) throws IOException {
        try {
            return open(address, patience);
        } catch (ChannelException | IllegalStateException | UncheckedIOException e) {
            // Netty's ways to say, for instance, that the process has too many files open.
            throw new IOException("cannot open a socket: " + e.getMessage(), e);
        }
    }

    private static DirectSocket open(SocketAddress address, Patience patience) throws IOException {
        boolean local = address instanceof DomainSocketAddress;
        DirectSocket direct = over(local ? Socket.newSocketDomain() : Socket.newSocketStream());
        boolean done = false;
        try {
            if (!local) {
                direct.socket.setTcpNoDelay(true);
                direct.socket.setKeepAlive(true);
            }
            boolean connected = direct.socket.connect(address);
            while (!connected) {
                direct.await(EpollIoOps.EPOLLOUT, patience);
                connected = direct.socket.finishConnect();
            }
            direct.waitFor(EpollIoOps.EPOLLIN);
            done = true;
            return direct;
        } finally {
            if (!done) {
                direct.close();
            }
        }
    }

    private static DirectSocket over(Socket socket) throws IOException {
        IoHandlerFactory factory = EpollIoHandler.newFactory(EVENTS_MAX, DefaultSelectStrategyFactory.INSTANCE);
        IoHandler poll = null;
        try {
            poll = factory.newHandler(USER);
            return new DirectSocket(socket, poll, poll.register(new Handle(socket)));
        } catch (Exception e) {
            if (poll != null) {
                poll.destroy();
            }
            socket.close();
            throw new IOException("cannot wait for a socket: " + e.getMessage(), e);
        }
    }

    /** Writes all that is readable in {@code bytes}. */
    void write(ByteBuf bytes, Patience patience) throws IOException {
        ByteBuffer view = bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes());
        int position = view.position();
        boolean waited = false;
        while (position < view.limit()) {
            int written = socket.send(view, position, view.limit());
            position += written;
            if (written == 0) {
                waited = true;
                await(EpollIoOps.EPOLLOUT, patience);
            }
        }
        if (waited) {
            waitFor(EpollIoOps.EPOLLIN);
        }
    }

    /** Waits until there is something to read, and appends some of it; false at the end of what the peer sends. */
    boolean read(ByteBuf into, Patience patience) throws IOException {
        while (true) {
            poll.run(WAIT);
            ByteBuffer view = into.internalNioBuffer(into.writerIndex(), into.writableBytes());
            int read = socket.recv(view, view.position(), view.limit());
            if (read != 0) {
                into.writerIndex(into.writerIndex() + Math.max(0, read));
                return read > 0;
            }
            patience.check();
        }
    }

    @Override
    public void close() {
        poll.prepareToDestroy();
        poll.destroy();
    }

    private void await(EpollIoOps what, Patience patience) throws IOException {
        waitFor(what);
        poll.run(WAIT);
        patience.check();
    }

    private void waitFor(EpollIoOps what) {
        long unused = registration.submit(what);
    }
}
