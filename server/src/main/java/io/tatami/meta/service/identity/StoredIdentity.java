package io.tatami.meta.service.identity;

import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.UnaryOperator;

/** This server's identity, which changes as groups come to it. Safe for use by many threads. */
public final class StoredIdentity {
    private final Path directory;
    private final long run = new SecureRandom().nextLong();
    private volatile Identity current;

    /** @param current as it is in the directory */
    public StoredIdentity(Path directory, Identity current) {
        this.directory = directory;
        this.current = current;
    }

    public Identity get() {
        return current;
    }

    /**
     * What a registration of this server begins with: who it is, how new its directory is, and what tells this process
     * from another one that has a copy of the directory.
     */
    public RegisterMetadataServerRequest.Builder registration() {
        Identity identity = current;
        return RegisterMetadataServerRequest.newBuilder()
                .setServerId(identity.serverIdBytes())
                .setMarks(identity.marks())
                .setRun(run);
    }

    /**
     * Changes it; durable when this returns.
     *
     * @throws TatamiException it is not known which of the two the next start will read
     */
    public synchronized void change(UnaryOperator<Identity> change) throws TatamiException {
        Identity next = change.apply(current);
        next.write(directory);
        current = next;
    }
}
