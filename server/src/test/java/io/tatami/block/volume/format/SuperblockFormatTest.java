package io.tatami.block.volume.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.files.Envelope;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SuperblockFormatTest {
    private static final int SECTOR = 4096;
    private static final long SECOND_SECTOR = (2 << 20) / SECTOR;
    private static final SuperblockFormat.Superblock SUPERBLOCK =
            new SuperblockFormat.Superblock(new UUID(0x11, 0x12), new UUID(0x21, 0x22), new UUID(0x31, 0x32), 64 << 20);

    private static final SuperblockFormat.Begun BEGUN =
            new SuperblockFormat.Begun(SUPERBLOCK.cluster(), SUPERBLOCK.volume(), new UUID(0x41, 0x42));

    private final SimFaults faults = new SimFaults();
    private final SimDisk disk = new SimDisk(16 << 20, faults);

    @Test
    void theBytesAreThoseOfTheFirstRelease() throws TatamiException {
        SuperblockFormat.write(disk, SUPERBLOCK);

        byte[] sector = disk.peek(0);
        assertEquals(
                "54544d49" + "0001" + "0001" + "00000028", HexFormat.of().formatHex(sector, 0, Envelope.CRC_OFFSET));
        assertEquals(
                "00000000000000110000000000000012" + "00000000000000210000000000000022"
                        + "00000000000000310000000000000032" + "0000000004000000",
                HexFormat.of().formatHex(sector, Envelope.OWNER_OFFSET, Envelope.HEADER_BYTES + 40));
        assertEquals(-1, Arrays.mismatch(sector, disk.peek(SECOND_SECTOR)));
        assertEquals(SUPERBLOCK, SuperblockFormat.read(disk));
    }

    @Test
    void aPowerCutDuringFormatLeavesAWholeSuperblockOrNone() throws TatamiException {
        for (int access = 0; access < 4; access++) {
            faults.powerOn();
            SuperblockFormat.begin(disk, BEGUN);
            faults.arm(access, SimFaults.Fault.POWER_CUT);
            assertThrows(TatamiException.class, () -> SuperblockFormat.write(disk, SUPERBLOCK));
            disk.losePower(new Random(access));
            faults.powerOn();

            SuperblockFormat.Superblock found = SuperblockFormat.find(disk);
            if (found != null || access >= 2) {
                assertEquals(SUPERBLOCK, found, "access " + access);
            } else {
                assertEquals(BEGUN, SuperblockFormat.findBegun(disk), "access " + access);
            }
        }
        SuperblockFormat.begin(disk, BEGUN);
        assertNull(SuperblockFormat.find(disk));
    }

    @Test
    void aPowerCutWhenAFormatBeginsLeavesTheVolumeOrTheWordOfTheFormat() throws TatamiException {
        for (int access = 0; access < 4; access++) {
            faults.powerOn();
            SuperblockFormat.write(disk, SUPERBLOCK);
            faults.arm(access, SimFaults.Fault.POWER_CUT);
            assertThrows(TatamiException.class, () -> SuperblockFormat.begin(disk, BEGUN));
            disk.losePower(new Random(access));
            faults.powerOn();

            SuperblockFormat.Superblock found = SuperblockFormat.find(disk);
            if (found != null) {
                assertEquals(SUPERBLOCK, found, "access " + access);
            } else {
                assertEquals(BEGUN, SuperblockFormat.findBegun(disk), "access " + access);
            }
        }
    }

    @Test
    void theBytesOfABegunFormatAreThoseOfTheFirstRelease() throws TatamiException {
        assertNull(SuperblockFormat.findBegun(disk));

        SuperblockFormat.begin(disk, BEGUN);

        byte[] sector = disk.peek(0);
        assertEquals(
                "54544d49" + "0006" + "0001" + "00000020", HexFormat.of().formatHex(sector, 0, Envelope.CRC_OFFSET));
        assertEquals(
                "00000000000000110000000000000012" + "00000000000000210000000000000022"
                        + "00000000000000410000000000000042",
                HexFormat.of().formatHex(sector, Envelope.OWNER_OFFSET, Envelope.HEADER_BYTES + 32));
        assertEquals(-1, Arrays.mismatch(sector, disk.peek(SECOND_SECTOR)));
        SuperblockFormat.Begun ofNone = new SuperblockFormat.Begun(BEGUN.cluster(), BEGUN.volume(), null);
        SuperblockFormat.begin(disk, ofNone);
        assertEquals(ofNone, SuperblockFormat.findBegun(disk));
    }

    @Test
    void newerOlderAndDamagedSuperblocksAreThreeErrors() throws TatamiException {
        assertEquals(ErrorCode.CORRUPT, failure());
        putVersion(2);
        assertEquals(ErrorCode.FORMAT_TOO_NEW, failure());
        putVersion(0);
        assertEquals(ErrorCode.FORMAT_TOO_OLD, failure());
    }

    private ErrorCode failure() {
        return assertThrows(TatamiException.class, () -> SuperblockFormat.read(disk))
                .code();
    }

    private void putVersion(int version) {
        byte[] copy = Envelope.wrap(Envelope.Kind.SUPERBLOCK, version, SUPERBLOCK.cluster(), new byte[40]);
        disk.poke(0, Arrays.copyOf(copy, SECTOR));
        disk.poke(SECOND_SECTOR, Arrays.copyOf(copy, SECTOR));
    }
}
