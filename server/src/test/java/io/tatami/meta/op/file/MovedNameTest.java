package io.tatami.meta.op.file;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CutFile;
import io.tatami.meta.op.write.ReopenFile;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files whose names live in another shard: the home serves them by id, and tells the name by the outbox. */
class MovedNameTest {
    private final FileShard shard = new FileShard();

    @Test
    void closeIsToldToTheNameAndToWhoAsksTheHome() throws Exception {
        CreateReply created = shard.create("a", 1);
        FileId file = moveAway("a", created.getStatus().getId());
        shard.nowMillis = 5_000;
        shard.treeAsked = true;
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(created.getGrant(0), 9)));
        FileClosed closed = news().get(0);
        assertEquals(9, closed.getLength());
        assertEquals("moved", closed.getName());
        assertEquals(5_000, closed.getModifiedMillis());
        assertFalse(closed.getOpen());
        assertEquals(1, atHome(file).getBlockCount());
    }

    @Test
    void smallContentStaysWithTheHomeAndTheNameIsToldThatItDoes() throws Exception {
        CreateReply created = shard.create("a", 0);
        FileId file = moveAway("a", created.getStatus().getId());
        shard.treeAsked = true;
        shard.complete(
                CompleteRequest.newBuilder().setFileId(file.value()).setInline(ByteString.copyFromUtf8("hello")));
        assertTrue(news().get(0).getContentInline());
        assertEquals("hello", atHome(file).getInline().toStringUtf8());
    }

    @Test
    void reopeningIsDoneOnceByRequestNumber() throws Exception {
        FileId file = moveAway("a", shard.inline("a", "hello").value());
        ReopenFileRequest request = ReopenFileRequest.newBuilder()
                .setFileId(file.value())
                .setSession(FileShard.WRITER.value())
                .setNumber(7)
                .build();
        AppendReply first = shard.run(new ReopenFile(), request);
        assertEquals("hello", first.getInline().toStringUtf8());
        assertEquals(first, shard.run(new ReopenFile(), request));
        assertTrue(news().get(0).getOpen());
        TatamiException held = assertThrows(
                TatamiException.class,
                () -> shard.run(
                        new ReopenFile(), request.toBuilder().setNumber(8).build()));
        assertEquals(ErrorCode.LEASE_HELD, held.code());
        assertEquals(new Detail.HeldLease(file, FileShard.WRITER), held.detail());
    }

    @Test
    void appendToAFileOfAnotherHomeSaysWhichFileThatIsAndChangesNothing() throws Exception {
        FileId elsewhere = FileId.of(1, 0, 9);
        shard.change(state -> state.entries()
                .changeRecord(
                        FileShard.HOME,
                        "a",
                        EntryRecord.newBuilder()
                                .setFile(FileEntry.newBuilder()
                                        .setFileId(elsewhere.value())
                                        .setAttributes(Attributes.newBuilder()
                                                .setOwner("u")
                                                .setMode(0777)))
                                .build()));
        MemoryView before = shard.store().copy();
        AppendReply located = shard.run(
                new AppendFile(shard.handles),
                AppendRequest.newBuilder()
                        .setHandle(shard.handle(FileShard.HOME))
                        .setName("a")
                        .build());
        assertEquals(elsewhere.value(), located.getStatus().getId());
        assertTrue(before.sameAs(shard.store()));
    }

    @Test
    void cuttingTwiceToTheSameLengthIsDoneOnce() throws Exception {
        FileId file = moveAway("a", shard.written("a", 1_000, 500).value());
        CutFileRequest request = CutFileRequest.newBuilder()
                .setFileId(file.value())
                .setLength(1_200)
                .build();
        assertFalse(shard.run(new CutFile(), request).getDone());
        assertFalse(shard.run(new CutFile(), request).getDone());
        assertEquals(2, shard.home(file).getBlocks());
        assertEquals(1_200, news().get(0).getLength());
    }

    private FileId moveAway(String name, long id) {
        FileId file = new FileId(id);
        shard.change(state -> {
            state.entries().changeRecord(FileShard.HOME, name, null);
            state.putHome(
                    file,
                    shard.home(file).toBuilder()
                            .setEntryGroup(3)
                            .setParentId(55)
                            .setName("moved")
                            .build());
        });
        return file;
    }

    private Status atHome(FileId file) throws Exception {
        return shard.run(
                        GetBlocks.allowed(),
                        GetBlocksRequest.newBuilder().setFileId(file.value()).build())
                .getStatus();
    }

    private List<FileClosed> news() {
        List<FileClosed> news = new ArrayList<>();
        byte[] from = Keys.kind('o');
        try (View.Cursor cursor = shard.store().scan(from, Keys.after(from))) {
            while (cursor.next()) {
                news.add(ShardState.parse(cursor.value(), OutboxDelivery.parser())
                        .getClosed());
            }
        }
        return news;
    }
}
