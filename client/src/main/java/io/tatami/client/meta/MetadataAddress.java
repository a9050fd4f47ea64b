package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the metadata servers of an authority are. */
public final class MetadataAddress {
    public static final int PORT_DEFAULT = 9480;

    /** A host name, IPv4 address or IPv6 address in brackets, and perhaps a port. */
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]/@\\s]+)(?::(\\d{1,5}))?");

    private static final int PORT_MAX = 65_535;

    private MetadataAddress() {}

    /**
     * The servers of {@code authority}: a name with {@code tatami.cluster.NAME.metadata} set stands for what is set
     * there; anything else is {@code host}, {@code host:port} or several of them with commas between.
     *
     * @return addresses not looked up yet
     * @throws TatamiException INVALID_ARGUMENT
     */
    public static List<InetSocketAddress> of(String authority, Settings settings) throws TatamiException {
        String configured = configured(authority, settings);
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String part : (configured.isEmpty() ? authority : configured).split(",", -1)) {
            addresses.add(parse(part.trim()));
        }
        return addresses;
    }

    /** {@code host:port}, or a host on the default port. */
    private static InetSocketAddress parse(String text) throws TatamiException {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        int port =
                !matcher.matches() ? -1 : matcher.group(2) == null ? PORT_DEFAULT : Integer.parseInt(matcher.group(2));
        if (port <= 0 || port > PORT_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "\"" + text + "\" is not an address of a metadata server; write host:port, for example localhost:"
                            + PORT_DEFAULT);
        }
        return InetSocketAddress.createUnresolved(matcher.group(1), port);
    }

    private static String configured(String authority, Settings settings) throws SettingException {
        if (!authority.matches("[A-Za-z0-9_-]+")) {
            return "";
        }
        return settings.get(Setting.text(
                "tatami.cluster." + authority + ".metadata", "", "Metadata servers of the cluster of this name."));
    }
}
