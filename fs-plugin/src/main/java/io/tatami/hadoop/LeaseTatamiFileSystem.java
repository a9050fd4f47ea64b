package io.tatami.hadoop;

import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.protocol.wire.SafeModeRequest;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeMode;
import org.apache.hadoop.fs.SafeModeAction;

/** Tatami with the interfaces that Hadoop has since 3.3.6. */
public class LeaseTatamiFileSystem extends TatamiFileSystem implements LeaseRecoverable, SafeMode {
    /** Made by Hadoop. */
    public LeaseTatamiFileSystem() {}

    @Override
    final boolean recoverLeaseElsewhere(FileSystem fs, Path path) throws IOException {
        return leases(fs, path).recoverLease(path);
    }

    @Override
    final boolean isFileClosedElsewhere(FileSystem fs, Path path) throws IOException {
        return leases(fs, path).isFileClosed(path);
    }

    private static LeaseRecoverable leases(FileSystem fs, Path path) {
        if (fs instanceof LeaseRecoverable leases) {
            return leases;
        }
        throw noLeases(path);
    }

    @Override
    public final boolean setSafeMode(SafeModeAction action, boolean isChecked) throws IOException {
        SafeModeRequest.Action wanted = switch (action) {
            case ENTER -> SafeModeRequest.Action.ENTER;
            case LEAVE -> SafeModeRequest.Action.LEAVE;
            case FORCE_EXIT -> SafeModeRequest.Action.FORCE_EXIT;
            case GET -> SafeModeRequest.Action.GET;
        };
        TatamiCalls calls = calls();
        return TatamiCalls.translated(() -> calls.client().cluster().safeMode(wanted));
    }
}
