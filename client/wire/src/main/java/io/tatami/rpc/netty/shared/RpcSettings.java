package io.tatami.rpc.netty.shared;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.util.List;

/**
 * How connections behave, on both sides.
 *
 * @param eventLoops threads that serve connections; 0 for one per core, four at most
 * @param frameBytesMax the largest frame that is taken
 * @param inflightRequestsMax requests in flight on a connection, by either side's count
 * @param waitingRequestsMax requests that wait, on a client's connection, for a place among those in flight
 * @param writeBufferBytes unsent bytes of a connection above which it is not writable; it is again below a quarter
 * @param connectionsMax connections of a server; further ones are closed as they come
 * @param directConnectionsMax connections of a client to one server, beside the shared one, each for a caller that
 *     waits
 * @param handshakeTimeout for connecting and for the handshake, each
 * @param pingInterval a client that waits for an answer and has heard nothing for so long asks for a sign of life; one
 *     that waits for none does after a third of {@code silenceMax}, where that is longer
 * @param localSocket whether clients and servers of one host talk without TCP where they can
 * @param silenceMax a connection on which nothing was heard for so long is closed, and so is one whose client has taken
 *     nothing for so long of what was sent to it
 * @param idleMax a client closes a connection that nobody asked for and on which nothing is in flight for so long; the
 *     next request opens another
 * @param slowCall from which on a server logs where the time of a call went; zero for never
 */
public record RpcSettings(
        int eventLoops,
        int frameBytesMax,
        int inflightRequestsMax,
        int waitingRequestsMax,
        int writeBufferBytes,
        int connectionsMax,
        boolean localSocket,
        int directConnectionsMax,
        Duration handshakeTimeout,
        Duration pingInterval,
        Duration silenceMax,
        Duration idleMax,
        Duration slowCall) {
    private static final Setting<Integer> EVENT_LOOPS = Setting.count(
            "tatami.rpc.event.loops", 0, 0, 256, "Threads that serve connections; 0 for one per core, four at most.");
    private static final Setting<Long> FRAME_MAX =
            Setting.size("tatami.rpc.frame.max", "16m", "64k", "16m", "The largest frame taken from a peer.");
    private static final Setting<Integer> INFLIGHT_MAX =
            Setting.count("tatami.rpc.inflight.max", 1024, 1, 1024, "Requests in flight on one connection.");
    private static final Setting<Integer> WAITING_MAX = Setting.count(
            "tatami.rpc.waiting.max",
            4096,
            0,
            1 << 20,
            "Requests of a client waiting to be in flight, per connection.");
    private static final Setting<Long> WRITE_BUFFER = Setting.size(
            "tatami.rpc.write.buffer", "4m", "64k", "256m", "Unsent bytes of a connection at which senders must wait.");
    private static final Setting<Integer> CONNECTIONS_MAX =
            Setting.count("tatami.rpc.connections.max", 16384, 1, 1 << 20, "Connections that a server holds open.");
    private static final Setting<Boolean> LOCAL_SOCKET = Setting.flag(
            "tatami.rpc.local.socket",
            true,
            "Whether clients and servers of one host talk through Unix-domain sockets.");
    private static final Setting<Integer> DIRECT_MAX = Setting.count(
            "tatami.rpc.direct.max",
            32,
            0,
            1024,
            "Connections of a client to one server, beside the shared one, for callers that read their replies themselves.");
    public static final Setting<Duration> HANDSHAKE_TIMEOUT = Setting.duration(
            "tatami.rpc.handshake.timeout", "10s", "10ms", "10m", "Time to connect, and time for the handshake.");
    private static final Setting<Duration> PING_INTERVAL = Setting.duration(
            "tatami.rpc.ping.interval",
            "10s",
            "10ms",
            "1h",
            "Silence after which a client that waits for an answer asks for a sign of life.");
    private static final Setting<Duration> SILENCE_MAX = Setting.duration(
            "tatami.rpc.silence.max",
            "60s",
            "20ms",
            "1d",
            "Silence after which a connection is given up, as is one that takes nothing for so long.");
    private static final Setting<Duration> IDLE_MAX = Setting.duration(
            "tatami.rpc.idle.max", "5m", "10ms", "30d", "Idleness after which a client closes a connection.");

    private static final Setting<Duration> SLOW_CALL = Setting.duration(
            "tatami.rpc.slow.call",
            "1s",
            "0s",
            "1h",
            "A call that takes so long is logged by its server, with where its time went; 0s for never.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(
            EVENT_LOOPS,
            FRAME_MAX,
            INFLIGHT_MAX,
            WAITING_MAX,
            WRITE_BUFFER,
            CONNECTIONS_MAX,
            LOCAL_SOCKET,
            DIRECT_MAX,
            HANDSHAKE_TIMEOUT,
            PING_INTERVAL,
            SILENCE_MAX,
            IDLE_MAX,
            SLOW_CALL);

    /** @throws SettingException INVALID_ARGUMENT on a bad value */
    public static RpcSettings from(Settings settings) throws SettingException {
        return new RpcSettings(
                settings.get(EVENT_LOOPS),
                Math.toIntExact(settings.get(FRAME_MAX)),
                settings.get(INFLIGHT_MAX),
                settings.get(WAITING_MAX),
                Math.toIntExact(settings.get(WRITE_BUFFER)),
                settings.get(CONNECTIONS_MAX),
                settings.get(LOCAL_SOCKET),
                settings.get(DIRECT_MAX),
                settings.get(HANDSHAKE_TIMEOUT),
                settings.get(PING_INTERVAL),
                settings.get(SILENCE_MAX),
                settings.get(IDLE_MAX),
                settings.get(SLOW_CALL));
    }
}
