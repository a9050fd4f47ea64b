package io.tatami.meta.state;

import java.util.List;

/** On whose behalf an operation is decided. */
public record Caller(String user, List<String> groups, boolean superuser) {
    public boolean isMemberOf(String group) {
        return groups.contains(group);
    }
}
