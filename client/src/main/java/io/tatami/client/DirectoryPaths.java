package io.tatami.client;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the paths of directories by their ids, which the namespace group knows. */
final class DirectoryPaths {
    private final MetadataCaller caller;
    private final Duration timeout;

    /** @param timeout for all directories together */
    DirectoryPaths(MetadataCaller caller, Duration timeout) {
        this.caller = caller;
        this.timeout = timeout;
    }

    /** Without the directories whose paths are not found. */
    Map<DirectoryId, TatamiPath> of(Collection<DirectoryId> directories) throws TatamiException {
        Deadline deadline = caller.deadline().atMost(timeout);
        Map<DirectoryId, TatamiPath> paths = new LinkedHashMap<>();
        for (SideBySide.Answer<DirectoryId, LocateDirectoryReply> answer :
                SideBySide.ask(directories, timeout, directory -> locate(directory, deadline))) {
            LocateDirectoryReply place = answer.value();
            if (place != null && place.getNameCount() > 0) {
                paths.put(answer.target(), path(place.getNameList()));
            }
        }
        return paths;
    }

    private LocateDirectoryReply locate(DirectoryId directory, Deadline deadline) throws TatamiException {
        LocateDirectoryRequest request = LocateDirectoryRequest.newBuilder()
                .setDirectoryId(directory.value())
                .build();
        return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.LOCATE_DIRECTORY, request, deadline);
    }

    /** @param names of which that of the root is the first */
    private static TatamiPath path(List<String> names) {
        TatamiPath path = TatamiPath.ROOT;
        for (String name : names.subList(1, names.size())) {
            path = path.listedChild(name);
        }
        return path;
    }
}
