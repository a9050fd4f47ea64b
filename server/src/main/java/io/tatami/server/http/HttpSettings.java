package io.tatami.server.http;

import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Where the HTTP port of a server is, and in whose name it reads.
 *
 * @param port empty for {@code auto}; ignored where the port is off
 * @param bindHost the address that is listened on
 * @param user in whose name pages read the name space
 * @param names of this server in a browser's address line, beside its host, {@code localhost} and IP addresses
 * @param collectEvery how often a metadata server asks the cluster for its console
 */
public record HttpSettings(
        boolean isOff, OptionalInt port, String bindHost, String user, List<String> names, Duration collectEvery) {
    private static final String OFF = "none";
    private static final String AUTO = "auto";
    private static final int PORT_MAX = 65_535;

    /** Where it listens. */
    public static final Setting<String> PORT = Setting.text(
                    "tatami.http.port",
                    AUTO,
                    "The HTTP port of a server; auto for 9481 at metadata servers and 9482 at block servers, or any free"
                            + " one where that is taken; none for no HTTP.")
            .where("none, auto, or a port from 0 to 65535", HttpSettings::isPort);

    /** On which address. */
    public static final Setting<String> BIND = Setting.text(
            "tatami.http.bind",
            "127.0.0.1",
            "The address that the HTTP port listens on; 0.0.0.0 for all. Whoever reaches it sees metrics and pages.");

    /** Whose rights pages have. */
    public static final Setting<String> USER = Setting.text(
            "tatami.http.user", "nobody", "The user in whose name the pages of the HTTP port read the name space.");

    /** Other names. */
    public static final Setting<String> NAMES = Setting.text(
            "tatami.http.names",
            "",
            "Names by which browsers reach the HTTP port, for example of a proxy, separated by commas; the server's host,"
                    + " localhost and IP addresses are accepted without.");

    /** How old the console's figures become. */
    public static final Setting<Duration> COLLECT_EVERY = Setting.duration(
            "tatami.http.collect.every",
            "15s",
            "100ms",
            "1h",
            "How often a metadata server asks all groups and block servers for its console, once for all who look.");

    /** Every setting read here. */
    public static final List<Setting<?>> ALL = List.of(PORT, BIND, USER, NAMES, COLLECT_EVERY);

    public static HttpSettings from(Settings settings) throws SettingException {
        String port = settings.get(PORT).trim();
        boolean isNumber = !port.equals(OFF) && !port.equals(AUTO);
        return new HttpSettings(
                port.equals(OFF),
                isNumber ? OptionalInt.of(Integer.parseInt(port)) : OptionalInt.empty(),
                settings.get(BIND).trim(),
                settings.get(USER).trim(),
                List.of(settings.get(NAMES).trim().split("\\s*,\\s*", 0)).stream()
                        .filter(name -> !name.isEmpty())
                        .toList(),
                settings.get(COLLECT_EVERY));
    }

    private static boolean isPort(String text) {
        String port = text.trim();
        return port.equals(OFF)
                || port.equals(AUTO)
                || (port.matches("\\d{1,5}") && Integer.parseInt(port) <= PORT_MAX);
    }
}
