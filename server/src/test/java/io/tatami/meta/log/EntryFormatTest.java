package io.tatami.meta.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReplicatedEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import org.junit.jupiter.api.Test;

final class EntryFormatTest {
    private static NavigableMap<byte[], Draft.Change> changes(int... bytes) {
        NavigableMap<byte[], Draft.Change> changes = Changes.noChanges();
        for (int i = 0; i < bytes.length; i++) {
            changes.put(ByteBuffer.allocate(Integer.BYTES).putInt(i).array(), new Draft.Change(new byte[bytes[i]]));
        }
        return changes;
    }

    @Test
    void partIsNoLongerThanItsLimitUnlessItIsOneRecord() {
        int most = EntryFormat.PART_BYTES;
        LogEntry entry = new LogEntry(1, 1, changes(most - 100, most - 100, 2 * most - 100, 10, most / 2, most / 2, 7));
        List<ReplicatedEntry> parts = EntryFormat.parts(entry, ProgressRecord.getDefaultInstance());
        NavigableMap<byte[], Draft.Change> read = Changes.noChanges();
        for (ReplicatedEntry part : parts) {
            assertTrue(
                    part.getChangeCount() == 1 || part.getSerializedSize() <= most + 200,
                    part.getChangeCount() + " changes of " + part.getSerializedSize() + " bytes");
            EntryFormat.addTo(read, part);
        }
        assertEquals(entry.changes().size(), read.size());
        assertEquals(5, parts.size());
        assertFalse(parts.get(4).getMoreParts());
    }
}
