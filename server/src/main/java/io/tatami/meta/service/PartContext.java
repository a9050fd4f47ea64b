package io.tatami.meta.service;

import io.tatami.base.Clock;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.state.wire.GroupRecord;

/**
 * What a part of a group may use.
 *
 * @param record who the group is: its id, the cluster's count of shards, the restore epoch
 * @param signer under the cluster's handle key
 */
public record PartContext<S>(
        Group<S> group, GroupRecord record, GroupPeers peers, HandleSigner signer, Clock clock, Settings settings) {}
