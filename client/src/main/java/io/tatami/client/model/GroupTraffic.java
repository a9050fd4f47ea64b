package io.tatami.client.model;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.GroupTrafficReply;
import org.jspecify.annotations.Nullable;

/**
 * What a group's leader has counted of its clients' requests.
 *
 * @param address of its leader; empty where nobody leads it
 * @param counts null where it did not answer
 * @param failure why it did not; null where it did. UNSUPPORTED where the leader's process counts nothing
 */
public record GroupTraffic(
        GroupId group,
        String address,
        @Nullable GroupTrafficReply counts,
        @Nullable TatamiException failure) {}
