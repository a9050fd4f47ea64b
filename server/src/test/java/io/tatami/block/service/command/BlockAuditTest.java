package io.tatami.block.service.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that end early, about two volumes with blocks of one shard. */
final class BlockAuditTest {
    private final SimVolume first;
    private final SimVolume second;
    private final VolumeSet volumes;

    BlockAuditTest() throws TatamiException {
        first = new SimVolume(64 << 20, 1);
        second = new SimVolume(64 << 20, 2);
        volumes = new VolumeSet(List.of(
                new VolumeSet.ServedVolume(first.volume(), "first"),
                new VolumeSet.ServedVolume(second.volume(), "second")));
    }

    @AfterEach
    void close() throws TatamiException {
        first.close();
        second.close();
    }

    private static BlockId block(int number) {
        return BlockId.of(3, 0, number);
    }

    private static void write(SimVolume volume, int... numbers) throws TatamiException {
        for (int number : numbers) {
            BlockWriter writer = volume.volume().create(block(number), Generation.FIRST, 4_096, true);
            writer.append(ByteBuffer.allocate(10), null);
            writer.finish();
        }
    }

    private static AuditRequest.Item known(int number) {
        return AuditRequest.Item.newBuilder()
                .setBlockId(block(number).value())
                .setGeneration(Generation.FIRST.value())
                .setLength(10)
                .build();
    }

    @Test
    void answerEndsWhereTheFirstVolumeHasMoreUnknownBlocksThanItTells() throws TatamiException {
        write(first, 1, 2, 4, 6, 7, 8, 9);
        write(second, 3, 5, 10);
        AuditRequest request = AuditRequest.newBuilder()
                .setGroup(block(1).home().value())
                .addItem(known(2))
                .addItem(known(5))
                .addItem(known(9))
                .addItem(known(11))
                .setAfterBlockId(block(1).value() - 1)
                .setUpToBlockId(block(20).value())
                .build();

        AuditReply whole = new BlockAudit(volumes, 10).answer(request);
        assertEquals(0, whole.getUpToBlockId());
        assertEquals(List.of(block(11).value()), whole.getMissingBlockIdList());
        assertEquals(7, whole.getUnknownBlockIdCount());

        AuditReply cut = new BlockAudit(volumes, 1).answer(request);
        assertEquals(block(7).value(), cut.getUpToBlockId());
        assertEquals(List.of(), cut.getMissingBlockIdList());
        assertEquals(
                List.of(1, 4, 6, 7, 3).stream()
                        .map(number -> block(number).value())
                        .toList(),
                cut.getUnknownBlockIdList());
    }

    @Test
    void answersOneAfterTheOtherTellOfEachUnknownBlockOnce() throws TatamiException {
        write(first, 1, 3, 5, 7, 9, 11, 13);
        write(second, 2, 4, 6, 8, 10);
        List<Long> told = new ArrayList<>();
        long after = block(1).value() - 1;
        long end = block(13).value();
        int answers = 0;
        while (after < end) {
            AuditReply answer = new BlockAudit(volumes, 2)
                    .answer(AuditRequest.newBuilder()
                            .setGroup(block(1).home().value())
                            .setAfterBlockId(after)
                            .setUpToBlockId(end)
                            .build());
            told.addAll(answer.getUnknownBlockIdList());
            after = answer.getUpToBlockId() == 0 ? end : answer.getUpToBlockId();
            answers++;
        }
        assertEquals(12, told.size());
        assertEquals(12, told.stream().distinct().count());
        assertEquals(4, answers);
    }
}
