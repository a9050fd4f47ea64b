package io.tatami.meta.service;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.InviteAdministratorReply;

/** Invites administrators to the console of this process. Called by many threads; must not wait. */
@FunctionalInterface
public interface Invitations {
    /** Of a process without a console. */
    Invitations NONE = user -> {
        throw new TatamiException(
                ErrorCode.UNSUPPORTED,
                "the process that leads the namespace group has no HTTP port; start it without tatami.http.port=none");
    };

    /**
     * A new invitation for a superuser, with where it is good.
     *
     * @throws TatamiException UNSUPPORTED where there is no console
     */
    InviteAdministratorReply invite(String user) throws TatamiException;
}
