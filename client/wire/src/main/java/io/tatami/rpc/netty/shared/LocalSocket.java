package io.tatami.rpc.netty.shared;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.util.UUID;

/**
 * Sockets between processes of one host, which cost less than TCP over loopback. They are in Linux's abstract name
 * space (unix(7)): no file that permissions could hide or a crash could leave behind. Each server draws a name that
 * nobody can guess, so that nobody can take it first, and tells it to clients that reached it by its address.
 */
public final class LocalSocket {
    private static final String PREFIX = "tatami-";

    private LocalSocket() {}

    /** A name that no server had before. */
    public static String newName() {
        return PREFIX + UUID.randomUUID();
    }

    /** A leading zero byte makes a name abstract. */
    public static SocketAddress address(String name) {
        return new DomainSocketAddress('\0' + name);
    }
}
