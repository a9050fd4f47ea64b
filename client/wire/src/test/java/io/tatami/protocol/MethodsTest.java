package io.tatami.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Each method of every table is for whom it was meant, and a new one is not forgotten here. */
final class MethodsTest {
    private static final TreeMap<String, String> META = new TreeMap<>();
    private static final TreeMap<String, String> BLOCK = new TreeMap<>();

    static {
        put(
                META,
                Audience.USERS,
                Effect.READS,
                "GET_CLUSTER_MAP GROUP_STATUS LIST_METADATA_SERVERS RESOLVE GET_DIRECTORY GET_DIRECTORIES CONTENT_SUMMARY LOOKUP LIST GET_BLOCKS READ_SHARES");
        put(META, Audience.USERS, Effect.UPKEEP, "CLOSE_SESSION SAFE_MODE RENEW_LEASES");
        put(
                META,
                Audience.USERS,
                Effect.WRITES,
                "OPEN_SESSION MKDIRS RENAME_DIRECTORY SET_DIRECTORY_ATTRIBUTES CREATE ADD_BLOCKS COMMIT_LENGTH APPEND CONCAT SET_FILE_ATTRIBUTES CREATE_SYMLINK RENAME_FILE");
        put(
                META,
                Audience.USERS,
                Effect.FREES,
                "DELETE_DIRECTORY COMPLETE RENEW_BLOCK RECOVER_LEASE TRUNCATE DELETE_FILE BULK_DELETE");
        put(
                META,
                Audience.SUPERUSER,
                Effect.UPKEEP,
                "REGISTER_METADATA_SERVER REPORT_METADATA_SERVER REPLICATE_GROUPS CHANGE_METADATA_SERVER REGISTER_BLOCK_SERVER HEARTBEAT GIVE_CREDITS DAMAGED_COPIES");
        put(META, Audience.SUPERUSER, Effect.READS, "FSCK");
        put(META, Audience.SERVERS, Effect.READS, "CHECK_DIRECTORY CHECK_REACH LOCATE_DIRECTORY CHECK_READ SUM_SHARES");
        put(META, Audience.SERVERS, Effect.WRITES, "REOPEN_FILE RESERVE_MARKER");
        put(META, Audience.SERVERS, Effect.FREES, "CUT_FILE RECOVER_FILE");
        put(
                META,
                Audience.SERVERS,
                Effect.UPKEEP,
                "TAKE_CLUSTER_MAP SET_GROUP_MEMBERS ANNOUNCE SETTLE_MARKER RECLAIM_DIRECTORIES PREPARE_MOVE FINISH_MOVE MOVE_STATUS SETTLE_MOVES DELIVER GIVE_ENTRIES TAKE_ENTRIES WIDEN_DIRECTORY");
        put(
                BLOCK,
                Audience.USERS,
                Effect.READS,
                "BLOCK_INFO CHUNK_CHECKSUMS BLOCK_SERVER_STATUS PLAN_READS PLAN_STATUS CANCEL_PLAN STAGED_BLOCKS READ_BLOCK SHARE_MEMORY");
        put(BLOCK, Audience.USERS, Effect.UPKEEP, "SCRUB REPORT_DAMAGE");
        put(BLOCK, Audience.USERS, Effect.WRITES, "WRITE_BLOCK");
        put(BLOCK, Audience.SERVERS, Effect.READS, "AUDIT");
        put(BLOCK, Audience.SERVERS, Effect.WRITES, "RECOVER_BLOCK");
        put(BLOCK, Audience.SERVERS, Effect.FREES, "DELETE_BLOCKS");
        put(BLOCK, Audience.SERVERS, Effect.UPKEEP, "CREDITS_LOW");
    }

    private static void put(TreeMap<String, String> table, Audience audience, Effect effect, String names) {
        for (String name : names.split(" ", -1)) {
            table.put(name, audience + " " + effect);
        }
    }

    private static TreeMap<String, String> declared(Class<?> table) throws IllegalAccessException {
        TreeMap<String, String> declared = new TreeMap<>();
        for (Field field : table.getFields()) {
            Object constant = field.get(null);
            if (constant instanceof Method<?, ?> method) {
                declared.put(field.getName(), method.audience() + " " + method.effect());
            } else if (constant instanceof StreamMethod<?, ?, ?, ?> stream) {
                declared.put(field.getName(), stream.audience() + " " + stream.effect());
            }
        }
        return declared;
    }

    @Test
    void eachMethodDeclaresItsAudienceAndItsEffect() throws IllegalAccessException {
        assertEquals(META, declared(MetaMethods.class));
        assertEquals(BLOCK, declared(BlockMethods.class));
    }

    @Test
    void whatIsDoneOnceWrites() throws IllegalAccessException {
        for (Field field : MetaMethods.class.getFields()) {
            if (field.get(null) instanceof Method<?, ?> method && !method.idempotent()) {
                assertTrue(
                        Set.of(Effect.WRITES, Effect.FREES).contains(method.effect()),
                        method + " would pass safe mode");
            }
        }
    }

    @Test
    void numbersAreUsedOnce() throws IllegalAccessException {
        Set<Integer> numbers = new HashSet<>();
        for (Class<?> table : new Class<?>[] {MetaMethods.class, BlockMethods.class}) {
            for (Field field : table.getFields()) {
                Object constant = field.get(null);
                int number = constant instanceof Method<?, ?> method
                        ? method.number()
                        : ((StreamMethod<?, ?, ?, ?>) constant).number();
                assertTrue(numbers.add(number), field.getName());
            }
        }
    }
}
