package io.tatami.meta.service;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.protocol.MetaMethods;
import org.junit.jupiter.api.Test;

final class GroupTableTest {
    @Test
    void methodIsServedAsItsEffectIsDeclared() {
        GroupTable.requireEffect(MetaMethods.CREATE, true);
        GroupTable.requireEffect(MetaMethods.DELETE_FILE, true);
        GroupTable.requireEffect(MetaMethods.FINISH_MOVE, true);
        GroupTable.requireEffect(MetaMethods.LIST, false);
        assertThrows(IllegalStateException.class, () -> GroupTable.requireEffect(MetaMethods.CREATE, false));
        assertThrows(IllegalStateException.class, () -> GroupTable.requireEffect(MetaMethods.FINISH_MOVE, false));
        assertThrows(IllegalStateException.class, () -> GroupTable.requireEffect(MetaMethods.LIST, true));
    }
}
