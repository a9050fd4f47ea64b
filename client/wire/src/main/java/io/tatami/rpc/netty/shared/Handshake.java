package io.tatami.rpc.netty.shared;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.ProtocolVersion;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.Hello;
import io.tatami.protocol.wire.Welcome;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the two sides say first, and what they make of it. Pure. */
public final class Handshake {

    private Handshake() {}

    /** @param group whose changes the connection is for; null for none in particular */
    public static Hello hello(ClientIdentity client, RpcSettings settings, @Nullable GroupId group) {
        Hello.Builder hello = Hello.newBuilder()
                .setMagic(FrameFormat.MAGIC)
                .setOldestVersion(ProtocolVersion.OLDEST)
                .setNewestVersion(ProtocolVersion.NEWEST)
                .setClusterId(toBytes(client.clusterId()))
                .setClientName(client.name())
                .setClientVersion(release())
                .setAuthScheme(client.authScheme())
                .setCredential(client.credential())
                .setFrameBytesMax(settings.frameBytesMax());
        if (group != null) {
            hello.setGroup(group.value());
        }
        return hello.build();
    }

    /**
     * The server's answer; whom the connection is for is yet to be found out.
     *
     * @param localSocket what a client of this host may use instead of this connection; empty for none
     * @throws TatamiException MALFORMED, PROTOCOL_VERSION or WRONG_CLUSTER, to be told to the client
     */
    public static Welcome answer(Hello hello, ServerIdentity server, RpcSettings settings, String localSocket)
            throws TatamiException {
        checkMagic(hello.getMagic());
        int version = ProtocolVersion.choose(
                ProtocolVersion.OLDEST, ProtocolVersion.NEWEST, hello.getOldestVersion(), hello.getNewestVersion());
        if (version == ProtocolVersion.NONE) {
            throw new TatamiException(
                    ErrorCode.PROTOCOL_VERSION,
                    "the server " + server.name() + " speaks protocol versions "
                            + range(ProtocolVersion.OLDEST, ProtocolVersion.NEWEST) + ", the client "
                            + hello.getClientName() + " speaks "
                            + range(hello.getOldestVersion(), hello.getNewestVersion()));
        }
        UUID wanted = clusterId(hello.getClusterId());
        if (wanted != null && !wanted.equals(server.clusterId())) {
            throw wrongCluster(server.clusterId(), wanted);
        }
        return Welcome.newBuilder()
                .setMagic(FrameFormat.MAGIC)
                .setVersion(version)
                .setClusterId(toBytes(server.clusterId()))
                .setServerName(server.name())
                .setServerVersion(release())
                .setInflightRequestsMax(settings.inflightRequestsMax())
                .setFrameBytesMax(settings.frameBytesMax())
                .setLocalSocket(localSocket)
                .build();
    }

    /**
     * The id of the cluster that welcomed the client.
     *
     * @throws TatamiException MALFORMED, PROTOCOL_VERSION or WRONG_CLUSTER
     */
    public static UUID accept(Welcome welcome, ClientIdentity client) throws TatamiException {
        checkMagic(welcome.getMagic());
        if (welcome.getVersion() < ProtocolVersion.OLDEST || welcome.getVersion() > ProtocolVersion.NEWEST) {
            throw new TatamiException(
                    ErrorCode.PROTOCOL_VERSION,
                    "the server chose protocol version " + welcome.getVersion() + ", this client speaks "
                            + range(ProtocolVersion.OLDEST, ProtocolVersion.NEWEST));
        }
        UUID cluster = clusterId(welcome.getClusterId());
        if (cluster == null) {
            throw new TatamiException(ErrorCode.MALFORMED, "the server did not say which cluster it belongs to");
        }
        if (client.clusterId() != null && !cluster.equals(client.clusterId())) {
            throw wrongCluster(cluster, client.clusterId());
        }
        return cluster;
    }

    static TatamiException wrongCluster(UUID servers, UUID wanted) {
        return new TatamiException(
                ErrorCode.WRONG_CLUSTER, "the server belongs to cluster " + servers + ", the client expects " + wanted);
    }

    public static ByteString toBytes(@Nullable UUID clusterId) {
        if (clusterId == null) {
            return ByteString.EMPTY;
        }
        return ByteString.copyFrom(UuidBytes.of(clusterId));
    }

    public static Goodbye goodbye(TatamiException reason) {
        return Goodbye.newBuilder()
                .setError(reason.code().number())
                .setMessage(messageOf(reason))
                .build();
    }

    /** What a peer's {@link #goodbye} was made of. */
    public static TatamiException reasonOf(Goodbye goodbye) {
        return new TatamiException(ErrorCode.ofNumber(goodbye.getError()), goodbye.getMessage());
    }

    public static String messageOf(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }

    private static @Nullable UUID clusterId(ByteString bytes) throws TatamiException {
        if (bytes.isEmpty()) {
            return null;
        }
        if (bytes.size() != UuidBytes.LENGTH) {
            throw new TatamiException(ErrorCode.MALFORMED, "a cluster id of " + bytes.size() + " bytes");
        }
        return UuidBytes.get(bytes.asReadOnlyByteBuffer());
    }

    private static void checkMagic(int magic) throws TatamiException {
        if (magic != FrameFormat.MAGIC) {
            throw new TatamiException(ErrorCode.MALFORMED, "the peer does not speak Tatami's protocol");
        }
    }

    private static String range(int oldest, int newest) {
        return oldest == newest ? Integer.toString(oldest) : oldest + " to " + newest;
    }

    /** The release as the jar's manifest names it. */
    private static String release() {
        String version = Handshake.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }
}
