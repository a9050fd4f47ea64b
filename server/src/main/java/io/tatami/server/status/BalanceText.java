package io.tatami.server.status;

import io.tatami.protocol.wire.Balance;
import io.tatami.protocol.wire.CopiesStatusReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** How far the moves of copies from full block servers to empty ones are. */
public final class BalanceText {
    private static final double PERMILLE = 10.0;

    private final List<Balance> shards;

    /** @param shards what each shard says; those of earlier releases say nothing */
    public BalanceText(List<CopiesStatusReply> shards) {
        this.shards = shards.stream()
                .filter(CopiesStatusReply::hasBalance)
                .map(CopiesStatusReply::getBalance)
                .toList();
    }

    public boolean isUnderWay() {
        return shards.stream().anyMatch(Balance::getUnderWay);
    }

    private long sum(ToLongFunction<Balance> of) {
        return shards.stream().mapToLong(of).sum();
    }

    private double percent(ToLongFunction<Balance> of) {
        return shards.stream().mapToLong(of).max().orElse(0) / PERMILLE;
    }

    /** The shards move side by side. */
    private long leftMillis() {
        boolean isKnown = shards.stream().allMatch(shard -> shard.getBytesLeft() == 0 || shard.getLeftMillis() > 0);
        return isKnown ? shards.stream().mapToLong(Balance::getLeftMillis).max().orElse(0) : 0;
    }

    private List<String> reasons() {
        return shards.stream()
                .map(Balance::getWaitsFor)
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .toList();
    }

    /** For people; empty where no shard tells. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        if (shards.isEmpty()) {
            return lines;
        }
        lines.add(String.format(
                Locale.ROOT,
                "balance: block servers are between %.1f %% and %.1f %% full; %s",
                percent(Balance::getEmptiestPermille),
                percent(Balance::getFullestPermille),
                isUnderWay() ? "copies are moved" : "no copies are moved"));
        if (isUnderWay()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "about %s are still to be moved, %s; %d copies (%s) are on their way",
                    HumanBytes.ofBytes(sum(Balance::getBytesLeft)),
                    leftMillis() == 0
                            ? "the time that takes is not known"
                            : "in about "
                                    + Math.max(
                                            1, Duration.ofMillis(leftMillis()).toSeconds()) + " s",
                    sum(Balance::getMovingCopies),
                    HumanBytes.ofBytes(sum(Balance::getMovingBytes))));
        }
        if (sum(Balance::getMovedCopies) > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d copies (%s) were moved since the leaders of the shards began",
                    sum(Balance::getMovedCopies),
                    HumanBytes.ofBytes(sum(Balance::getMovedBytes))));
        }
        reasons().forEach(reason -> lines.add("balance waits: " + reason));
        return lines;
    }

    /** Under the names in JSON. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("under_way", isUnderWay());
        json.put("fullest_percent", percent(Balance::getFullestPermille));
        json.put("emptiest_percent", percent(Balance::getEmptiestPermille));
        json.put("bytes_left", sum(Balance::getBytesLeft));
        json.put("left_millis", leftMillis());
        json.put("moving_copies", sum(Balance::getMovingCopies));
        json.put("moving_bytes", sum(Balance::getMovingBytes));
        json.put("moved_copies", sum(Balance::getMovedCopies));
        json.put("moved_bytes", sum(Balance::getMovedBytes));
        json.put("waits_for", reasons());
        return json;
    }
}
