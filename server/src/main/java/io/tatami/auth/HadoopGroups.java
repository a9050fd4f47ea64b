package io.tatami.auth;

import io.tatami.meta.service.host.GroupMapping;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Groups;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups by Hadoop's own mapping service, so that {@code hadoop.security.group.mapping} and its kin mean here what they
 * mean on a NameNode. Safe for use by many threads; may block on the operating system or a directory service.
 */
public final class HadoopGroups implements GroupMapping {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopGroups.class);

    private final Groups groups;

    /** By the configuration files on the class path. */
    public HadoopGroups() {
        this(new Configuration());
    }

    public HadoopGroups(Configuration configuration) {
        this.groups = Groups.getUserToGroupsMappingService(configuration);
    }

    @Override
    public List<String> groupsOf(String user) {
        try {
            return List.copyOf(groups.getGroupsSet(user));
        } catch (IOException e) {
            LOG.debug("the groups of {} are unknown", user, e);
            return List.of();
        }
    }
}
