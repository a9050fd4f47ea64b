package io.tatami.hadoop.call;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import org.apache.hadoop.security.AccessControlException;

/** The homes of users, {@code /user/NAME}: only the superuser can make one, and nothing does it by itself. */
final class UserHome {
    private static final TatamiPath HOMES = TatamiPath.ROOT.listedChild("user");

    private UserHome() {}

    /** The refusal to make {@code path}, with its remedy where it lies in a home that is not there. */
    static IOException explained(TatamiClient client, TatamiPath path, IOException refusal) {
        if (!(refusal instanceof AccessControlException) || !path.startsWith(HOMES) || path.equals(HOMES)) {
            return refusal;
        }
        TatamiPath home = path.prefix(HOMES.depth() + 1);
        if (isThere(client, home)) {
            return refusal;
        }
        AccessControlException explained = new AccessControlException(refusal.getMessage() + "; " + home
                + " does not exist; the superuser can create it: tatami fs -mkdir -p " + home + " && tatami fs -chown "
                + home.name() + " " + home);
        explained.setStackTrace(refusal.getStackTrace());
        return explained;
    }

    private static boolean isThere(TatamiClient client, TatamiPath home) {
        try {
            client.status(home, false);
            return true;
        } catch (TatamiException e) {
            return e.code() != ErrorCode.NOT_FOUND;
        }
    }
}
