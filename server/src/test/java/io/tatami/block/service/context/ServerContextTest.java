package io.tatami.block.service.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject.ServerSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import org.junit.jupiter.api.Test;

final class ServerContextTest {
    private static final ServerId HERE = new ServerId(1);

    @Test
    void aFailureOfThisServerNamesItAndKeepsWhatTheVolumeSaid() {
        TatamiException full = new TatamiException(ErrorCode.NO_SPACE, "no room", new Detail.RoomLeft(4_096));
        TatamiException told = ServerContext.about(HERE, full);
        assertEquals(new ServerSubject(HERE), told.subject());
        assertEquals(new Detail.RoomLeft(4_096), told.detail());
    }

    @Test
    void aFailureOfAServerBehindStaysThatServers() {
        TatamiException behind = ServerContext.about(new ServerId(2), new TatamiException(ErrorCode.IO_ERROR, "no"));
        assertSame(behind, ServerContext.about(HERE, behind));
    }
}
