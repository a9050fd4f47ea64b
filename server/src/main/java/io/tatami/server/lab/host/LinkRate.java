package io.tatami.server.lab.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a link carries, each way; held by a token bucket of tc-tbf(8) at both ends.
 *
 * @param bitsPerSecond 0 for as much as it can
 */
public record LinkRate(long bitsPerSecond) {
    public static final LinkRate UNLIMITED = new LinkRate(0);

    /** By powers of a thousand. */
    private static final List<String> UNITS = List.of("", "k", "m", "g");

    private static final long BITS_MIN = 8_000;
    private static final long BITS_MAX = 100_000_000_000L;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,12})([kmg]?)bit");
    private static final Pattern SHOWN = Pattern.compile("\\btbf\\b.*\\brate (\\d+)([KMG]?)bit\\b");

    /** The bucket holds what passes in this part of a second, and a packet at the least. */
    private static final long BURSTS_PER_SECOND = 50;

    private static final long BURST_BYTES_MIN = 16 << 10;

    /** @throws TatamiException INVALID_ARGUMENT */
    public static LinkRate parse(String text) throws TatamiException {
        if (text.equals("off")) {
            return UNLIMITED;
        }
        Matcher matcher = TEXT.matcher(text.toLowerCase(Locale.ROOT));
        long bits = matcher.matches() ? bits(matcher) : 0;
        if (bits < BITS_MIN || bits > BITS_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + text
                            + "' is no rate of a link; write 512kbit, 1mbit or 1gbit, from 8kbit to 100gbit, or off");
        }
        return new LinkRate(bits);
    }

    private static long bits(Matcher matcher) {
        int thousands = UNITS.indexOf(matcher.group(2).toLowerCase(Locale.ROOT));
        return Long.parseLong(matcher.group(1)) * Math.round(Math.pow(1_000, thousands));
    }

    /** Sets the rate of what the namespace sends and of what it is sent. */
    public void apply(NetworkNamespace namespace) throws IOException, InterruptedException {
        apply(List.of("tc"), namespace.name());
        apply(List.of("tc", "-n", namespace.name()), NetworkNamespace.DEVICE);
    }

    /** Sets the rate of what leaves the rack and of what comes to it. */
    public void apply(RackSwitch rack) throws IOException, InterruptedException {
        apply(List.of("tc"), rack.lower());
        apply(List.of("tc"), rack.upper());
    }

    private void apply(List<String> tc, String device) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(tc);
        if (bitsPerSecond > 0) {
            long burst = Math.max(BURST_BYTES_MIN, bitsPerSecond / Byte.SIZE / BURSTS_PER_SECOND);
            command.addAll(List.of("qdisc", "replace", "dev", device, "root", "tbf", "rate", bitsPerSecond + "bit"));
            command.addAll(List.of("burst", Long.toString(burst), "latency", "50ms"));
        } else if (shown(tc, device).isPresent()) {
            command.addAll(List.of("qdisc", "del", "dev", device, "root"));
        } else {
            return;
        }
        Program.run(command.toArray(String[]::new));
    }

    /** What the kernel says of the namespace's sending end. */
    public static LinkRate sending(NetworkNamespace namespace) throws IOException, InterruptedException {
        return new LinkRate(shown(List.of("tc", "-n", namespace.name()), NetworkNamespace.DEVICE)
                .orElse(0));
    }

    /** What the kernel says of the end that sends what leaves the rack. */
    public static LinkRate sending(RackSwitch rack) throws IOException, InterruptedException {
        return new LinkRate(shown(List.of("tc"), rack.lower()).orElse(0));
    }

    /** What the kernel says of the end that sends to the namespace. */
    public static LinkRate receiving(NetworkNamespace namespace) throws IOException, InterruptedException {
        return new LinkRate(shown(List.of("tc"), namespace.name()).orElse(0));
    }

    private static OptionalLong shown(List<String> tc, String device) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(tc);
        command.addAll(List.of("qdisc", "show", "dev", device, "root"));
        Matcher matcher = SHOWN.matcher(Program.run(command.toArray(String[]::new)));
        return matcher.find() ? OptionalLong.of(bits(matcher)) : OptionalLong.empty();
    }

    /** As {@link #parse} takes it. */
    @Override
    public String toString() {
        if (bitsPerSecond == 0) {
            return "off";
        }
        for (int thousands = UNITS.size() - 1; thousands > 0; thousands--) {
            long unit = Math.round(Math.pow(1_000, thousands));
            if (bitsPerSecond % unit == 0) {
                return bitsPerSecond / unit + UNITS.get(thousands) + "bit";
            }
        }
        return bitsPerSecond + "bit";
    }
}
