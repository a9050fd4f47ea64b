package io.tatami.hadoop;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.ipc.RemoteException;

/** Exceptions as a program that catches them sees them. */
public final class HdfsExceptions {
    private HdfsExceptions() {}

    /**
     * What {@code failure} can be caught as. An exception that HDFS's client passes on as it came from its server
     * counts as the one it carries, or as an IOException where no program could catch it as more; so does a
     * TatamiException, which is an IOException that no program knows by name.
     */
    public static Class<?> caughtAs(Exception failure) {
        Throwable seen = failure;
        if (seen instanceof ExecutionException && seen.getCause() != null) {
            seen = seen.getCause();
        }
        if (seen instanceof RemoteException remote) {
            seen = remote.unwrapRemoteException();
        }
        boolean unknown = seen instanceof RemoteException || seen instanceof io.tatami.base.TatamiException;
        return unknown ? IOException.class : seen.getClass();
    }
}
