package io.tatami.meta.op.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.AckOutboxRequest;
import io.tatami.meta.state.wire.OutboxPageRequest;
import io.tatami.protocol.wire.OutboxDelivery;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Five messages wait for the group 1, and three for the group 2. */
final class AckOutboxTest {
    private static final int GROUP = 1;
    private static final int OTHER = 2;

    private final FileShard shard = new FileShard();

    @BeforeEach
    void fill() {
        shard.change(state -> {
            for (int i = 1; i <= 5; i++) {
                state.addOutbox(
                        new GroupId(GROUP),
                        OutboxDelivery.newBuilder().setUnlinkFileId(10 + i).build());
            }
            for (int i = 1; i <= 3; i++) {
                state.addOutbox(
                        new GroupId(OTHER),
                        OutboxDelivery.newBuilder().setUnlinkFileId(20 + i).build());
            }
        });
    }

    @Test
    void headIsTheOldestMessagesOfOneGroupInOrder() throws Exception {
        List<OutboxDelivery> head = shard.run(
                        new OutboxHead(),
                        OutboxPageRequest.newBuilder()
                                .setToGroup(GROUP)
                                .setAfter(1)
                                .setLimit(2)
                                .build())
                .getMessageList();
        assertEquals(
                List.of(12L, 13L),
                head.stream().map(OutboxDelivery::getUnlinkFileId).toList());
        assertEquals(
                List.of(2L, 3L), head.stream().map(OutboxDelivery::getNumber).toList());
        assertEquals(0, head.get(0).getFromGroup());
    }

    @Test
    void onlyWhatWasAppliedIsDropped() throws Exception {
        acknowledge(0, 3);
        assertEquals(List.of(4L, 5L), numbers(GROUP));
        assertEquals(List.of(1L, 2L, 3L), numbers(OTHER));
    }

    /** Messages at or below {@code after} may be another request's. */
    @Test
    void rangeBeginsBehindWhereItSays() throws Exception {
        acknowledge(2, 4);
        assertEquals(List.of(1L, 2L, 5L), numbers(GROUP));
    }

    @Test
    void lateAndRepeatedAcknowledgementsDropNothing() throws Exception {
        acknowledge(0, 3);
        MemoryView before = shard.store().copy();
        acknowledge(0, 3);
        acknowledge(0, 2);
        assertTrue(shard.store().sameAs(before));
    }

    @Test
    void numbersGoOnAfterAllWereAcknowledged() throws Exception {
        acknowledge(0, 5);
        assertEquals(List.of(), numbers(GROUP));
        shard.change(state -> state.addOutbox(new GroupId(GROUP), OutboxDelivery.getDefaultInstance()));
        assertEquals(List.of(6L), numbers(GROUP), "the receiver takes a lower number for one that it has");
    }

    private void acknowledge(long after, long upTo) throws Exception {
        shard.run(
                new AckOutbox(),
                AckOutboxRequest.newBuilder()
                        .setToGroup(GROUP)
                        .setAfter(after)
                        .setUpTo(upTo)
                        .build());
    }

    private List<Long> numbers(int group) throws Exception {
        return shard
                .run(
                        new OutboxHead(),
                        OutboxPageRequest.newBuilder()
                                .setToGroup(group)
                                .setLimit(100)
                                .build())
                .getMessageList()
                .stream()
                .map(OutboxDelivery::getNumber)
                .toList();
    }
}
