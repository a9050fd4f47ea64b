package io.tatami.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.Denial;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class RefusalFormatTest {
    private static final int ALL = Integer.MAX_VALUE;
    private static final Denial.Inode FILE = new Denial.Inode("ann", "staff", 0640, false);
    private static final Denial.Inode DIRECTORY = new Denial.Inode("bob", "users", 01777, true);

    /** One of each kind, at least. */
    private static final List<RefusalSubject> SUBJECTS = List.of(
            RefusalSubject.NONE,
            new RefusalSubject.PathSubject("/a/b"),
            new RefusalSubject.EntrySubject(RequestDirectory.PARENT, ""),
            new RefusalSubject.EntrySubject(RequestDirectory.SOURCE, "f"),
            new RefusalSubject.EntrySubject(RequestDirectory.DESTINATION, "g"),
            new RefusalSubject.ServerSubject(new ServerId(7)));

    private static final List<Detail> DETAILS = List.of(
            Detail.NONE,
            new Detail.Leader("host", 9470),
            new Detail.LinkTarget("hdfs://else/where"),
            new Detail.HeldLease(new FileId(Long.MAX_VALUE), new SessionId(3)),
            new Detail.DamagedChunk(0),
            new Detail.RoomLeft(1 << 20),
            new Detail.Obstacle("/a"),
            new Detail.StoredInline("f"),
            new Denial.AccessRefused("eve", Denial.WRITE | Denial.EXECUTE, FILE),
            new Denial.OwnerOnly("eve"),
            new Denial.StickyBit("eve", FILE, DIRECTORY));

    private static TatamiException sentAndReceived(TatamiException failure) {
        return RefusalFormat.exception(RefusalFormat.of(failure, ALL), String.valueOf(failure.getMessage()));
    }

    private static void assertSame(TatamiException expected, TatamiException received) {
        assertEquals(expected.code(), received.code());
        assertEquals(expected.getMessage(), received.getMessage());
        assertEquals(expected.subject(), received.subject());
        assertEquals(expected.detail(), received.detail());
    }

    @Test
    void everyCodeSubjectAndDetailArrives() {
        for (ErrorCode code : ErrorCode.values()) {
            assertSame(new TatamiException(code, "no"), sentAndReceived(new TatamiException(code, "no")));
        }
        for (RefusalSubject subject : SUBJECTS) {
            for (Detail detail : DETAILS) {
                TatamiException failure = new TatamiException(ErrorCode.BUSY, "no", subject, detail, null);
                assertSame(failure, sentAndReceived(failure));
            }
        }
    }

    /** So that a new kind is not forgotten on the wire, nor here. */
    @Test
    void thereIsAnExampleOfEveryKind() {
        assertEquals(kinds(RefusalSubject.class), kindsOf(SUBJECTS));
        assertEquals(kinds(Detail.class), kindsOf(DETAILS));
        assertEquals(Refusal.DetailCase.values().length, DETAILS.size());
    }

    private static Set<Class<?>> kindsOf(List<?> values) {
        Set<Class<?>> kinds = new HashSet<>();
        values.forEach(value -> kinds.add(value.getClass()));
        return kinds;
    }

    private static Set<Class<?>> kinds(Class<?> sealed) {
        Set<Class<?>> kinds = new HashSet<>();
        Stream.of(sealed.getPermittedSubclasses())
                .forEach(kind -> kinds.addAll(kind.isSealed() ? kinds(kind) : Set.of(kind)));
        return kinds;
    }

    @Test
    void longTextsAreCutOff() {
        TatamiException failure = new TatamiException(
                ErrorCode.UNRESOLVED_LINK,
                "no",
                new RefusalSubject.PathSubject("p".repeat(5)),
                new Detail.LinkTarget("t".repeat(3)),
                null);
        Refusal refusal = RefusalFormat.of(failure, 4);
        assertEquals("pppp", refusal.getSubject().getPath());
        assertEquals("ttt", refusal.getLinkTarget());
    }

    @Test
    void valuesThatCannotBeAreLikeNone() {
        assertUntold(
                Refusal.newBuilder().setSubject(Refusal.Subject.newBuilder().setServerId(-1)));
        assertUntold(Refusal.newBuilder()
                .setSubject(Refusal.Subject.newBuilder()
                        .setEntry(Refusal.Entry.newBuilder().setDirectoryValue(9))));
        assertUntold(Refusal.newBuilder().setDamagedChunkOffset(-1));
        assertUntold(Refusal.newBuilder().setRoomLeft(-1));
        assertUntold(
                Refusal.newBuilder().setHeldLease(Refusal.HeldLease.newBuilder().setFileId(-1)));
        for (int port : List.of(-1, 65_536)) {
            assertUntold(Refusal.newBuilder()
                    .setLeader(Refusal.Leader.newBuilder().setHost("host").setPort(port)));
        }
        assertUntold(Refusal.newBuilder().setLeader(Refusal.Leader.newBuilder().setPort(9470)));
    }

    private static void assertUntold(Refusal.Builder refusal) {
        TatamiException received =
                RefusalFormat.exception(refusal.setCode(ErrorCode.BUSY.number()).build(), "no");
        assertEquals(RefusalSubject.NONE, received.subject());
        assertEquals(Detail.NONE, received.detail());
    }
}
