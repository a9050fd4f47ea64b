package io.tatami.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The texts are those of commit 733f3c5a. */
final class OlderRefusalTest {
    private static final Map<ErrorCode, Map.Entry<String, Detail>> DETAILS = Map.of(
            ErrorCode.NOT_LEADER,
            Map.entry("::1:9470", new Detail.Leader("::1", 9470)),
            ErrorCode.UNRESOLVED_LINK,
            Map.entry("hdfs://else/where", new Detail.LinkTarget("hdfs://else/where")),
            ErrorCode.LEASE_HELD,
            Map.entry("9223372036854775807 3", new Detail.HeldLease(new FileId(Long.MAX_VALUE), new SessionId(3))),
            ErrorCode.NOT_A_DIRECTORY,
            Map.entry("/a", new Detail.Obstacle("/a")),
            ErrorCode.UNSUPPORTED,
            Map.entry("f", new Detail.StoredInline("f")));

    private static TatamiException received(ErrorCode code, String detail) {
        return OlderRefusal.exception(code.number(), "no", detail);
    }

    @Test
    void detailsAreReadAndWrittenByTheirCode() {
        DETAILS.forEach((code, told) -> {
            assertEquals(told.getValue(), received(code, told.getKey()).detail());
            assertEquals(told.getKey(), OlderRefusal.detailText(new TatamiException(code, "no", told.getValue())));
        });
    }

    @Test
    void theEndsOfARenameAreReadAndWritten() {
        for (RequestDirectory end : List.of(RequestDirectory.SOURCE, RequestDirectory.DESTINATION)) {
            String text = end == RequestDirectory.SOURCE ? "source" : "destination";
            assertEquals(
                    new EntrySubject(end, ""),
                    received(ErrorCode.IS_A_DIRECTORY, text).subject());
            assertEquals(
                    text,
                    OlderRefusal.detailText(new TatamiException(
                            ErrorCode.IS_A_DIRECTORY, "no", new EntrySubject(end, "f"), Detail.NONE, null)));
        }
    }

    @Test
    void theServerThatFailedIsReadAndWrittenWhateverElseThereIs() {
        RefusalSubject server = new RefusalSubject.ServerSubject(new ServerId(12));
        assertEquals(server, received(ErrorCode.NO_SPACE, "12").subject());
        assertEquals(
                "12",
                OlderRefusal.detailText(
                        new TatamiException(ErrorCode.NO_SPACE, "no", server, new Detail.RoomLeft(99), null)));
    }

    @Test
    void textsThatSayNothingAreLikeNone() {
        for (String text : List.of("", "host", "host:", ":1", "host:port", "host:70000")) {
            assertEquals(Detail.NONE, received(ErrorCode.NOT_LEADER, text).detail(), text);
        }
        for (String text : List.of("", "1", "1 2 3", "-1 2", "99999999999999999999 1")) {
            assertEquals(Detail.NONE, received(ErrorCode.LEASE_HELD, text).detail(), text);
        }
        assertEquals(Detail.NONE, received(ErrorCode.CORRUPT, "4096").detail());
        assertEquals(
                RefusalSubject.NONE, received(ErrorCode.NO_SPACE, "9999999999").subject());
    }

    @Test
    void messagesNameAnEntryWithoutItsDirectory() {
        assertEquals(
                "rename source f is not found",
                OlderRefusal.exception(ErrorCode.NOT_FOUND.number(), "rename source {source}/f is not found", "")
                        .getMessage());
        assertEquals(
                "access=WRITE, inode=\".\":ann:staff:drwxr-xr-x",
                OlderRefusal.exception(
                                ErrorCode.PERMISSION_DENIED.number(),
                                "access=WRITE, inode=\"{parent}\":ann:staff:drwxr-xr-x",
                                "")
                        .getMessage());
    }
}
