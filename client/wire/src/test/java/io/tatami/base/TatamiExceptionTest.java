package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

final class TatamiExceptionTest {
    @Test
    void aFailureToldAgainSaysTheSameAndNamesTheFirstAsItsCause() {
        TatamiException first = new TatamiException(ErrorCode.NOT_LEADER, "not here", "host:1", null);

        TatamiException again = first.again();

        assertEquals(first.code(), again.code());
        assertEquals(first.getMessage(), again.getMessage());
        assertEquals(first.detail(), again.detail());
        assertSame(first, again.getCause());
    }
}
