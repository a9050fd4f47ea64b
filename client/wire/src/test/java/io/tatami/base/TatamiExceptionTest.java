package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

final class TatamiExceptionTest {
    private static final RefusalSubject PATH = new RefusalSubject.PathSubject("/f");
    private final TatamiException first =
            new TatamiException(ErrorCode.NOT_LEADER, "not here", PATH, new Detail.Leader("host", 1), null);

    @Test
    void aFailureToldAgainSaysTheSameAndNamesTheFirstAsItsCause() {
        TatamiException again = first.again();

        assertEquals(first.code(), again.code());
        assertEquals(first.getMessage(), again.getMessage());
        assertEquals(first.subject(), again.subject());
        assertEquals(first.detail(), again.detail());
        assertSame(first, again.getCause());
    }

    @Test
    void aNewSubjectLeavesTheDetail() {
        RefusalSubject server = new RefusalSubject.ServerSubject(new ServerId(3));

        TatamiException retold = first.retold("s3: not here", server);

        assertEquals("s3: not here", retold.getMessage());
        assertEquals(server, retold.subject());
        assertEquals(first.detail(), retold.detail());
    }
}
