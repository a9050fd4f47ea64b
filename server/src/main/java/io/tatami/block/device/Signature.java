package io.tatami.block.device;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * A mark by which the owner of a disk is known: these bytes at this offset. The table follows blkid's (util-linux,
 * libblkid/src/superblocks and partitions).
 */
record Signature(String owner, int offsetBytes, byte[] mark) {
    /** How much of a disk must be read to see all of them. */
    static final int PROBE_BYTES = 128 << 10;

    private static final int SECTOR_BYTES = 512;
    private static final int PAGE_BYTES = 4096;

    static final List<Signature> KNOWN = List.of(
            hex("an ext2, ext3 or ext4 file system", 1024 + 56, "53ef"),
            text("an xfs file system", 0, "XFSB"),
            text("a btrfs file system", 64 * 1024 + 64, "_BHRfS_M"),
            hex("an f2fs file system", 1024, "1020f5f2"),
            text("an NTFS file system", 3, "NTFS    "),
            text("an ISO 9660 file system", 32 * 1024 + 1, "CD001"),
            hex("a LUKS container", 0, "4c554b53babe"),
            text("an LVM physical volume", 0, "LABELONE"),
            text("an LVM physical volume", SECTOR_BYTES, "LABELONE"),
            text("an LVM physical volume", 2 * SECTOR_BYTES, "LABELONE"),
            text("an LVM physical volume", 3 * SECTOR_BYTES, "LABELONE"),
            hex("a member of an md array", 0, "fc4e2ba9"),
            hex("a member of an md array", PAGE_BYTES, "fc4e2ba9"),
            text("swap space", PAGE_BYTES - 10, "SWAPSPACE2"),
            text("swap space", PAGE_BYTES - 10, "SWAP-SPACE"),
            text("a GPT partition table", SECTOR_BYTES, "EFI PART"),
            text("a GPT partition table", PAGE_BYTES, "EFI PART"),
            hex("an MBR partition table or a boot sector", 510, "55aa"));

    private static Signature text(String owner, int offsetBytes, String mark) {
        return new Signature(owner, offsetBytes, mark.getBytes(StandardCharsets.US_ASCII));
    }

    private static Signature hex(String owner, int offsetBytes, String mark) {
        return new Signature(owner, offsetBytes, HexFormat.of().parseHex(mark));
    }

    /** Whether {@code head}, the first bytes of a disk, bears this mark. */
    boolean isIn(byte[] head) {
        if (head.length < offsetBytes + mark.length) {
            return false;
        }
        for (int i = 0; i < mark.length; i++) {
            if (head[offsetBytes + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
