package io.tatami.rpc.netty.shared;

import io.netty.channel.Channel;
import io.tatami.base.Clock;

/** The parts of one connection that its requests and streams work with. */
public record ChannelContext(Channel channel, Outbox outbox, Clock clock) {}
