package io.tatami.rpc.netty;

import io.netty.channel.Channel;
import io.tatami.base.Clock;

/** The parts of one connection that its requests and streams work with. */
record Link(Channel channel, Outbox outbox, ReadGate readGate, Clock clock) {}
