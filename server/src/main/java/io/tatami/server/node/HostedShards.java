package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.host.NewCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Which shards a metadata server is to host.
 *
 * @param all those that nobody hosts; then there are no {@code numbers}
 */
public record HostedShards(boolean all, List<Integer> numbers) {
    public static final HostedShards ALL_FREE = new HostedShards(true, List.of());
    private static final String NONE = "none";

    /** Of the first server of a cluster, which has the namespace group in any case. */
    public NewCluster ofNewCluster(int shards, int replicas) throws TatamiException {
        try {
            return ofNewCluster(shards).withReplicas(replicas);
        } catch (IllegalArgumentException e) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    private NewCluster ofNewCluster(int shards) throws TatamiException {
        if (all) {
            return NewCluster.onOneServer(shards);
        }
        List<GroupId> groups = new ArrayList<>(List.of(GroupId.NAMESPACE));
        for (int number : numbers) {
            if (number >= shards) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "there is no shard " + number + ": the cluster has the shards 0 to " + (shards - 1));
            }
            groups.add(GroupId.ofShard(number));
        }
        return new NewCluster(shards, groups);
    }

    /** What a server that joins asks for: none for all that nobody hosts. */
    public List<Integer> ofJoining() throws TatamiException {
        if (!all && numbers.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a server that joins must host a shard; name shards with --host-shards");
        }
        return numbers;
    }

    /** Reads {@code 0,1}, or {@code none}. */
    public static final class Converter implements ITypeConverter<HostedShards> {
        @Override
        public HostedShards convert(String text) {
            if (text.equals(NONE)) {
                return new HostedShards(false, List.of());
            }
            TreeSet<Integer> numbers = new TreeSet<>();
            try {
                for (String number : text.split(",", -1)) {
                    numbers.add(GroupId.ofShard(Integer.parseInt(number.trim())).shard());
                }
            } catch (IllegalArgumentException | IllegalStateException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a list of shards; write their numbers, for example 0,1, or " + NONE);
            }
            return new HostedShards(false, List.copyOf(numbers));
        }
    }
}
