package io.tatami.meta.state;

import io.tatami.base.SessionId;

/**
 * What an operation may know beside its view and its request; part of its input, so that it needs no clock.
 *
 * @param nowMillis log time: never falls within a group
 * @param session the client's session, {@link SessionId#NONE} for requests of servers
 */
public record RequestContext(Caller caller, SessionId session, long nowMillis) {}
