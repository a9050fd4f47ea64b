package io.tatami.meta.state;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of a group's records: one letter for the kind, then big-endian ids, then a name, so that ranges scan in
 * order.
 *
 * <pre>
 *  shard      e directory(8) name       entry                l session(8) file(8)     write lease
 *             f file(8)                 home record          t transaction(8)         cross-shard move
 *             b file(8) index(4)        block                g directory(8)           gate
 *             v file(8)                 bytes, where inline  o group(4) number(8)     outbox
 *             s directory(8)            slice                q number(8)              to be reclaimed
 *             r server(4) block(8)      replica              w block(8)               file of a block
 *             a directory(8) name      fetched ahead        n directory(8)           it has changed here
 *             u class(1) block(8)       copies to look at  m "credit" server(4)     credit
 *             u 3 file(8)               all of a file's    m "heal" server(4)       cursor over its blocks
 *  namespace  d parent(8) name          directory            i directory(8)           its name
 *             x number(8)               intent               k kind id(4)             cluster map
 *             h directory(8)            being widened
 *  both       c session(8) page(8)      remembered replies   m name                   singletons and counters
 *  volatile   ~ session(8) file(8)      first write lease
 * </pre>
 *
 * Volatile records are in the memory of a group's leader only, see {@link #isVolatile}.
 *
 * <p>A group stands in a key by its number and one, because keys are compared without signs. The letters and layouts
 * are a stored format; {@code docs/formats.md} tells which value belongs to which key.
 */
public final class Keys {
    private static final byte VOLATILE = '~';

    /** The class of files among those of blocks. */
    private static final byte FILE_NEEDS = 3;

    private Keys() {}

    public static byte[] entry(DirectoryId directory, String name) {
        return named((byte) 'e', directory.value(), name);
    }

    /** Of a directory that is being widened: the name was fetched ahead of its turn. */
    public static byte[] fetched(DirectoryId directory, String name) {
        return named((byte) 'a', directory.value(), name);
    }

    /** Before every name of {@code directory} that was fetched ahead. */
    public static byte[] fetched(DirectoryId directory) {
        return of((byte) 'a', directory.value());
    }

    /** Before every entry of {@code directory}; with {@link #after} of it, the range of all. */
    public static byte[] entries(DirectoryId directory) {
        return of((byte) 'e', directory.value());
    }

    public static byte[] home(FileId file) {
        return of((byte) 'f', file.value());
    }

    public static byte[] block(FileId file, int index) {
        return ByteBuffer.allocate(1 + Long.BYTES + Integer.BYTES)
                .put((byte) 'b')
                .putLong(file.value())
                .putInt(index)
                .array();
    }

    /** All bytes of a file that is stored inline, as they are. */
    public static byte[] inline(FileId file) {
        return of((byte) 'v', file.value());
    }

    /** Whether a key is one of {@link #inline}. */
    public static boolean isInline(byte[] key) {
        return key[0] == 'v';
    }

    /** Whose bytes lie under a key of {@link #inline}. */
    public static FileId fileOfInline(byte[] key) {
        return new FileId(ByteBuffer.wrap(key).getLong(1));
    }

    public static byte[] blocks(FileId file) {
        return of((byte) 'b', file.value());
    }

    public static byte[] fileOfBlock(BlockId block) {
        return of((byte) 'w', block.value());
    }

    public static byte[] slice(DirectoryId directory) {
        return of((byte) 's', directory.value());
    }

    public static byte[] replica(ServerId server, BlockId block) {
        return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES)
                .put((byte) 'r')
                .putInt(server.value())
                .putLong(block.value())
                .array();
    }

    /** Before every copy that a server has or is to have; with {@link #after} of it, the range of all. */
    public static byte[] replicas(ServerId server) {
        return ByteBuffer.allocate(1 + Integer.BYTES)
                .put((byte) 'r')
                .putInt(server.value())
                .array();
    }

    public static byte[] lease(SessionId session, FileId file) {
        return of((byte) 'l', session.value(), file.value());
    }

    public static byte[] leases(SessionId session) {
        return of((byte) 'l', session.value());
    }

    /** Of a file that nothing was written to; volatile. */
    public static byte[] firstLease(SessionId session, FileId file) {
        return of(VOLATILE, session.value(), file.value());
    }

    public static byte[] firstLeases(SessionId session) {
        return of(VOLATILE, session.value());
    }

    /** Before every key of a volatile record, and after every other. */
    public static byte[] volatiles() {
        return new byte[] {VOLATILE};
    }

    /**
     * Whether a record is kept in the memory of the group's leader only: it is in no log and no store, and gone with
     * the leader.
     */
    public static boolean isVolatile(byte[] key) {
        return key[0] == VOLATILE;
    }

    /** The page of a session's remembered replies with a number. */
    public static byte[] replies(SessionId session, long page) {
        return of((byte) 'c', session.value(), page);
    }

    /** Whether a key is one of remembered replies. */
    public static boolean isOfReplies(byte[] key) {
        return key[0] == 'c';
    }

    public static byte[] replies(SessionId session) {
        return of((byte) 'c', session.value());
    }

    public static byte[] transaction(TransactionId transaction) {
        return of((byte) 't', transaction.value());
    }

    public static byte[] gate(DirectoryId directory) {
        return of((byte) 'g', directory.value());
    }

    /** In a shard: its part of the directory has changed often. */
    public static byte[] growth(DirectoryId directory) {
        return of((byte) 'n', directory.value());
    }

    /** In the namespace group: the directory's entries move to more shards. */
    public static byte[] widening(DirectoryId directory) {
        return of((byte) 'h', directory.value());
    }

    /** Outbox messages to one group are numbered from 1 and delivered in order; group -1 is the namespace. */
    public static byte[] outbox(int group, long number) {
        return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES)
                .put((byte) 'o')
                .putInt(group + 1)
                .putLong(number)
                .array();
    }

    /** Whether the key is that of a message to a group. */
    public static boolean isOutbox(byte[] key, int group) {
        return key[0] == 'o' && ByteBuffer.wrap(key, 1, Integer.BYTES).getInt() == group + 1;
    }

    public static byte[] reclaim(long number) {
        return of((byte) 'q', number);
    }

    public static byte[] directory(DirectoryId parent, String name) {
        return named((byte) 'd', parent.value(), name);
    }

    public static byte[] directories(DirectoryId parent) {
        return of((byte) 'd', parent.value());
    }

    public static byte[] directoryName(DirectoryId directory) {
        return of((byte) 'i', directory.value());
    }

    public static byte[] intent(long number) {
        return of((byte) 'x', number);
    }

    /**
     * A record of the cluster map: {@code kind} is {@code "server"}, {@code "group"}, {@code "metadata"} or
     * {@code "replicas"}.
     */
    public static byte[] cluster(String kind, int id) {
        byte[] text = kind.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(1 + text.length + Integer.BYTES)
                .put((byte) 'k')
                .put(text)
                .putInt(id)
                .array();
    }

    public static byte[] singleton(String name) {
        return ("m" + name).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a key is of a kind of which there is one record for each name. */
    public static boolean isSingleton(byte[] key) {
        return key.length > 0 && key[0] == 'm';
    }

    /** A block whose copies are to be looked at. */
    public static byte[] need(int urgency, BlockId block) {
        return ByteBuffer.allocate(2 + Long.BYTES)
                .put((byte) 'u')
                .put((byte) urgency)
                .putLong(block.value())
                .array();
    }

    /** Before every block that waits under a class; with {@link #after} of it, the range of all. */
    public static byte[] needs(int urgency) {
        return new byte[] {'u', (byte) urgency};
    }

    /** The block of a key of {@link #need}. */
    public static BlockId blockOfNeed(byte[] key) {
        return new BlockId(ByteBuffer.wrap(key).getLong(2));
    }

    /** The file of a key of {@link #fileNeed}. */
    public static FileId fileOfNeed(byte[] key) {
        return new FileId(ByteBuffer.wrap(key).getLong(2));
    }

    /** A file whose blocks are to be looked at. */
    public static byte[] fileNeed(FileId file) {
        return ByteBuffer.allocate(2 + Long.BYTES)
                .put((byte) 'u')
                .put(FILE_NEEDS)
                .putLong(file.value())
                .array();
    }

    /** Before every file whose blocks are to be looked at. */
    public static byte[] fileNeeds() {
        return needs(FILE_NEEDS);
    }

    /** How far the blocks of a server that is to have none are queued. */
    public static byte[] healCursor(ServerId server) {
        return singletonOf("heal", server);
    }

    public static byte[] credit(ServerId server) {
        return singletonOf("credit", server);
    }

    private static byte[] singletonOf(String name, ServerId server) {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(1 + text.length + Integer.BYTES)
                .put((byte) 'm')
                .put(text)
                .putInt(server.value())
                .array();
    }

    /** Every key with one of these letters: the start of a kind's range, whose end is {@link #after} of it. */
    public static byte[] kind(char letter) {
        return new byte[] {(byte) letter};
    }

    /** The smallest key above every key that begins with {@code prefix}. */
    public static byte[] after(byte[] prefix) {
        for (int i = prefix.length - 1; i >= 0; i--) {
            if (prefix[i] != (byte) 0xff) {
                byte[] end = Arrays.copyOf(prefix, i + 1);
                end[i]++;
                return end;
            }
        }
        throw new IllegalArgumentException("nothing sorts after a prefix of 0xff bytes");
    }

    /** The name at the end of an entry's or a directory's key. */
    public static String nameOf(byte[] key) {
        return new String(key, 1 + Long.BYTES, key.length - 1 - Long.BYTES, StandardCharsets.UTF_8);
    }

    /** The first 8-byte id of a key; for keys that have one right after the letter. */
    public static long idOf(byte[] key) {
        return ByteBuffer.wrap(key).getLong(1);
    }

    /** The second 8-byte id of a key, for leases and replies. */
    public static long secondIdOf(byte[] key) {
        return ByteBuffer.wrap(key).getLong(1 + Long.BYTES);
    }

    /** The block of a replica's key. */
    public static long blockOfReplica(byte[] key) {
        return ByteBuffer.wrap(key).getLong(1 + Integer.BYTES);
    }

    /** The index at the end of a block's key. */
    public static int indexOf(byte[] key) {
        return ByteBuffer.wrap(key).getInt(1 + Long.BYTES);
    }

    private static byte[] of(byte letter, long id) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(letter).putLong(id).array();
    }

    private static byte[] of(byte letter, long first, long second) {
        return ByteBuffer.allocate(1 + 2 * Long.BYTES)
                .put(letter)
                .putLong(first)
                .putLong(second)
                .array();
    }

    private static byte[] named(byte letter, long id, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + Long.BYTES + text.length)
                .put(letter)
                .putLong(id)
                .put(text)
                .array();
    }
}
