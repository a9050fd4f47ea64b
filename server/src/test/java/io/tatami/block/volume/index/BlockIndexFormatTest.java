package io.tatami.block.volume.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.Extent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class BlockIndexFormatTest {
    private static final BlockRecord WRITING = new BlockRecord(
            new BlockId(0x1122),
            Generation.of(5),
            new Extent(1 << 22, 8192),
            4099,
            BlockRecord.State.WRITING,
            new byte[] {1, 2, 3});

    @Test
    void theBytesOfARecordAreThoseOfTheFirstRelease() {
        assertEquals("650000000000001122", HexFormat.of().formatHex(BlockIndexFormat.recordKey(WRITING.block())));
        assertEquals(
                "0101000300000000" + "0000000000400000" + "0000000000002000" + "0000000000000005" + "0000000000001003"
                        + "010203",
                HexFormat.of().formatHex(BlockIndexFormat.encodeRecord(WRITING), 0, 43));
    }

    @Test
    void aRecordIsReadBack() throws TatamiException {
        BlockRecord back = BlockIndexFormat.decodeRecord(
                BlockIndexFormat.recordKey(WRITING.block()), BlockIndexFormat.encodeRecord(WRITING));

        assertEquals(true, WRITING.sameAs(back));
        assertArrayEquals(WRITING.tail(), back.tail());
    }

    @Test
    void aCopyWithANumberOrAPromiseHasTheSecondVersionAndIsReadBack() throws TatamiException {
        for (CopyNumbers numbers : List.of(
                new CopyNumbers(0, Generation.of(5), Generation.of(7)),
                new CopyNumbers(3, Generation.of(5), Generation.of(5)),
                new CopyNumbers(9, Generation.of(5), Generation.of(6)))) {
            BlockRecord numbered = WRITING.withNumbers(numbers);
            byte[] value = BlockIndexFormat.encodeRecord(numbered);
            assertEquals(2, value[0]);
            BlockRecord back = BlockIndexFormat.decodeRecord(BlockIndexFormat.recordKey(WRITING.block()), value);
            assertEquals(numbers, back.numbers());
            assertEquals(true, numbered.sameAs(back));
            assertEquals(false, WRITING.sameAs(back));
            assertArrayEquals(WRITING.tail(), back.tail());
        }
        assertEquals(1, BlockIndexFormat.encodeRecord(WRITING)[0]);
        assertEquals(
                "0201000300000000" + "0000000000400000" + "0000000000002000" + "0000000000000005" + "0000000000001003"
                        + "0000000000000006" + "00000009" + "010203",
                HexFormat.of()
                        .formatHex(
                                BlockIndexFormat.encodeRecord(
                                        WRITING.withNumbers(new CopyNumbers(9, Generation.of(5), Generation.of(6)))),
                                0,
                                55));
    }

    /** The sum over the records is made of what is encoded again. */
    @Test
    void aRecordThatWouldBeEncodedOtherwiseIsCorrupt() {
        byte[] key = BlockIndexFormat.recordKey(WRITING.block());
        BlockRecord numbered = WRITING.withNumbers(new CopyNumbers(0, Generation.of(5), Generation.of(6)));
        byte[] value = BlockIndexFormat.encodeRecord(numbered);
        // A promise of the generation itself, then one below it.
        for (byte promised : new byte[] {5, 4}) {
            value[47] = promised;
            assertEquals(ErrorCode.CORRUPT, failure(key, summed(key, value)));
        }
    }

    @Test
    void newerAndOlderAndDamagedRecordsAreThreeErrors() {
        byte[] key = BlockIndexFormat.recordKey(WRITING.block());

        assertEquals(ErrorCode.FORMAT_TOO_NEW, failure(key, withVersion(key, 3)));
        assertEquals(ErrorCode.FORMAT_TOO_OLD, failure(key, withVersion(key, 0)));
        assertEquals(ErrorCode.CORRUPT, failure(key, new byte[50]));
        assertEquals(ErrorCode.CORRUPT, failure(key, new byte[0]));
        assertEquals(ErrorCode.CORRUPT, failure(Arrays.copyOf(key, 5), BlockIndexFormat.encodeRecord(WRITING)));
    }

    @Test
    void whatIsUnwrittenIsReadBackAndDamageOfItIsTold() throws TatamiException {
        Extent unwritten = new Extent(8L << 20, 1L << 40);
        byte[] value = BlockIndexFormat.encodeUnwritten(unwritten);

        assertEquals(unwritten, BlockIndexFormat.decodeUnwritten(value));
        assertEquals(Extent.EMPTY, BlockIndexFormat.decodeUnwritten(null));
        value[7]++;
        TatamiException damaged = assertThrows(TatamiException.class, () -> BlockIndexFormat.decodeUnwritten(value));
        assertEquals(ErrorCode.CORRUPT, damaged.code());
    }

    private static ErrorCode failure(byte[] key, byte[] value) {
        return assertThrows(TatamiException.class, () -> BlockIndexFormat.decodeRecord(key, value))
                .code();
    }

    private static byte[] withVersion(byte[] key, int version) {
        byte[] value = BlockIndexFormat.encodeRecord(WRITING);
        value[0] = (byte) version;
        return summed(key, value);
    }

    private static byte[] summed(byte[] key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key);
        crc.update(value, 0, value.length - Integer.BYTES);
        ByteBuffer.wrap(value).putInt(value.length - Integer.BYTES, (int) crc.getValue());
        return value;
    }
}
