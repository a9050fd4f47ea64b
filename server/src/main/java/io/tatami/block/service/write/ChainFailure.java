package io.tatami.block.service.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;

/** A failure behind this server in the chain; the detail is the id of the server that failed, as decimal text. */
public final class ChainFailure extends TatamiException {
    private static final long serialVersionUID = 1L;

    public ChainFailure(ErrorCode code, String message, String serverId, Throwable cause) {
        super(code, message, serverId, cause);
    }
}
