package io.tatami.meta.state;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ServerId;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.BlockRecordOrBuilder;
import io.tatami.meta.state.wire.CopyRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReclaimRecordOrBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The copies that a block's record names, and the only way to change them. A server has one copy of a block at most, of
 * one kind:
 *
 * <ul>
 *   <li>A <i>counted</i> copy has all committed bytes; readers are sent to it.
 *   <li>An <i>intended</i> copy is being made, and counts once its server has reported it.
 *   <li>A <i>spare</i> is a copy that a seal left out. It may be shorter than the block.
 * </ul>
 *
 * Not safe for use by many threads: an operation uses it on its own draft.
 */
public final class BlockCopies {
    private final BlockRecord.Builder block;

    private BlockCopies(BlockRecord.Builder block) {
        this.block = block;
    }

    /** @param number 0 for a copy that came with the grant; never used twice for one block otherwise */
    public record Copy(ServerId server, int number) {}

    /** The copies of a record that is changed through what is returned. */
    public static BlockCopies of(BlockRecord.Builder block) {
        return new BlockCopies(block);
    }

    public static List<Copy> counted(BlockRecordOrBuilder block) {
        return copies(block.getServerIdList(), block.getCopyNumberList());
    }

    /**
     * The copies on some servers.
     *
     * @param holders ids of block servers
     * @param numbers of the copies there, in their order; a shorter list stands for zeros
     */
    public static List<Copy> copies(List<Integer> holders, List<Integer> numbers) {
        List<Copy> copies = new ArrayList<>(holders.size());
        for (int i = 0; i < holders.size(); i++) {
            copies.add(new Copy(new ServerId(holders.get(i)), i < numbers.size() ? numbers.get(i) : 0));
        }
        return copies;
    }

    private static boolean isNumbered(List<Copy> copies) {
        return copies.stream().anyMatch(copy -> copy.number() != 0);
    }

    public static List<Copy> intended(BlockRecordOrBuilder block) {
        return block.getIntendedList().stream().map(BlockCopies::copy).toList();
    }

    public static List<Copy> spares(BlockRecordOrBuilder block) {
        return block.getSpareList().stream().map(BlockCopies::copy).toList();
    }

    /** Counted, intended and spare copies, in this order. */
    public static List<Copy> all(BlockRecordOrBuilder block) {
        List<Copy> copies = counted(block);
        copies.addAll(intended(block));
        copies.addAll(spares(block));
        return copies;
    }

    /** The copies that wait to be reclaimed. */
    public static List<Copy> reclaimed(ReclaimRecordOrBuilder reclaim) {
        return copies(reclaim.getServerIdList(), reclaim.getCopyNumberList());
    }

    /** Has a record of what is to be reclaimed name these copies and no others. */
    public static void setReclaimed(ReclaimRecord.Builder reclaim, List<Copy> copies) {
        reclaim.clearServerId().clearCopyNumber();
        copies.forEach(copy -> reclaim.addServerId(copy.server().value()));
        if (isNumbered(copies)) {
            copies.forEach(copy -> reclaim.addCopyNumber(copy.number()));
        }
    }

    /** The copy of any kind that a server has or is to have. */
    public static Optional<Copy> on(BlockRecordOrBuilder block, ServerId server) {
        return all(block).stream().filter(copy -> copy.server().equals(server)).findFirst();
    }

    /** Grants a copy with the block, before anything is written. */
    public void grant(ServerId server) {
        requireNone(server);
        List<Copy> copies = counted(block);
        copies.add(new Copy(server, 0));
        setCounted(copies);
    }

    /** A copy that the server is to make, with a number of its own. */
    public Copy intend(ServerId server) {
        requireNone(server);
        int number = block.getNewestCopyNumber() + 1;
        block.setNewestCopyNumber(number)
                .addIntended(CopyRecord.newBuilder().setServerId(server.value()).setCopyNumber(number));
        return new Copy(server, number);
    }

    /**
     * An intended copy counts from now on.
     *
     * @return false, and nothing is changed, if this copy is not intended (any more)
     */
    public boolean count(Copy made) {
        List<Copy> left = new ArrayList<>(intended(block));
        if (!left.remove(made)) {
            return false;
        }
        setIntended(left);
        List<Copy> copies = counted(block);
        copies.add(made);
        setCounted(copies);
        return true;
    }

    /** Counted copies on other servers than these become spares. */
    public void keepCounted(List<ServerId> servers) {
        List<Copy> kept = new ArrayList<>();
        for (Copy copy : counted(block)) {
            if (servers.contains(copy.server())) {
                kept.add(copy);
            } else {
                block.addSpare(record(copy));
            }
        }
        setCounted(kept);
    }

    /** Forgets the copy of any kind on a server. */
    public void remove(ServerId server) {
        setCounted(without(counted(block), server));
        setIntended(without(intended(block), server));
        List<Copy> spares = without(spares(block), server);
        block.clearSpare();
        spares.forEach(copy -> block.addSpare(record(copy)));
    }

    /** Forgets all intended copies, as the block is about to change. */
    public void clearIntended() {
        block.clearIntended();
    }

    private void setCounted(List<Copy> copies) {
        block.clearServerId().clearCopyNumber();
        copies.forEach(copy -> block.addServerId(copy.server().value()));
        if (isNumbered(copies)) {
            copies.forEach(copy -> block.addCopyNumber(copy.number()));
        }
    }

    private void setIntended(List<Copy> copies) {
        block.clearIntended();
        copies.forEach(copy -> block.addIntended(record(copy)));
    }

    private void requireNone(ServerId server) {
        Check.check(on(block, server).isEmpty(), "%s has a copy of %s already", server, id());
    }

    private BlockId id() {
        return new BlockId(block.getBlockId());
    }

    private static List<Copy> without(List<Copy> copies, ServerId server) {
        return copies.stream().filter(copy -> !copy.server().equals(server)).toList();
    }

    private static Copy copy(CopyRecord record) {
        return new Copy(new ServerId(record.getServerId()), record.getCopyNumber());
    }

    private static CopyRecord record(Copy copy) {
        return CopyRecord.newBuilder()
                .setServerId(copy.server().value())
                .setCopyNumber(copy.number())
                .build();
    }
}
