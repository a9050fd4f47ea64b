package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.remove.BulkDelete;
import io.tatami.meta.op.remove.DeleteFile;
import io.tatami.meta.op.rename.RenameFile;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.ConcatFiles;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.op.write.TruncateFile;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.CreateSymlinkRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A handle tells where its bearer came, for some time; what the bearer may do there is the request's matter. */
final class RequestRightsTest {
    private static final Caller ROOT = new Caller("bob", List.of("supergroup"), true);
    private static final Caller LEFT = new Caller("bob", List.of(), false);

    private final FileShard shard = new FileShard();
    private final HandleCheck handles = shard.handles;

    @BeforeEach
    void closedDirectoryWithAFile() throws Exception {
        var unused = shard.create("f", 0);
        shard.directory = shard.directory.toBuilder().setMode(0700).build();
    }

    private enum Kind {
        LOOKUP,
        LOCATE,
        TOUCH,
        LIST,
        CREATE,
        APPEND,
        TRUNCATE,
        CONCAT,
        SET_ATTRIBUTES,
        SYMLINK,
        DELETE,
        BULK_DELETE,
        RENAME
    }

    /** The code that the request is refused with; {@code INTERNAL} where it is done. */
    private ErrorCode refusal(Kind kind) throws UnsettledException {
        try {
            return switch (kind) {
                case LOOKUP -> done(shard.run(new Lookup(handles), lookup()));
                case LOCATE -> done(shard.run(new LocateFile(handles), lookup()));
                case TOUCH -> done(shard.run(new TouchAccessTime(handles), lookup()));
                case LIST ->
                    done(shard.run(
                            new ListEntries(handles),
                            ListRequest.newBuilder().setHandle(shard.handle()).build()));
                case CREATE ->
                    done(shard.run(
                            new CreateFile(handles, FileLimits.DEFAULT),
                            shard.creation("g").build()));
                case APPEND ->
                    done(shard.run(
                            new AppendFile(handles),
                            AppendRequest.newBuilder()
                                    .setHandle(shard.handle())
                                    .setName("f")
                                    .build()));
                case TRUNCATE ->
                    done(shard.run(
                            new TruncateFile(handles),
                            TruncateRequest.newBuilder()
                                    .setHandle(shard.handle())
                                    .setName("f")
                                    .build()));
                case CONCAT ->
                    done(shard.run(
                            new ConcatFiles(handles, FileLimits.DEFAULT),
                            ConcatRequest.newBuilder()
                                    .setHandle(shard.handle())
                                    .setName("f")
                                    .addSource("g")
                                    .build()));
                case SET_ATTRIBUTES ->
                    done(shard.run(
                            new SetFileAttributes(handles),
                            SetFileAttributesRequest.newBuilder()
                                    .setHandle(shard.handle())
                                    .setName("f")
                                    .build()));
                case SYMLINK ->
                    done(shard.run(
                            new CreateSymlink(handles),
                            CreateSymlinkRequest.newBuilder()
                                    .setHandle(shard.handle())
                                    .setName("s")
                                    .setTarget("f")
                                    .build()));
                case DELETE -> done(shard.run(new DeleteFile(handles), deletion()));
                case BULK_DELETE -> {
                    int error = shard.run(
                                    new BulkDelete(new DeleteFile(handles)),
                                    BulkDeleteRequest.newBuilder()
                                            .addItem(BulkDeleteRequest.Item.newBuilder()
                                                    .setHandle(shard.handle())
                                                    .setName("f"))
                                            .build())
                            .getResult(0)
                            .getError();
                    yield error == 0 ? ErrorCode.INTERNAL : ErrorCode.ofNumber(error);
                }
                case RENAME ->
                    done(shard.run(
                            new RenameFile(handles),
                            RenameFileRequest.newBuilder()
                                    .setSourceHandle(shard.handle())
                                    .setSourceName("f")
                                    .setDestinationHandle(shard.handle())
                                    .setDestinationName("h")
                                    .build()));
            };
        } catch (TatamiException e) {
            return e.code();
        }
    }

    /** Nothing was refused. */
    private static ErrorCode done(Object reply) {
        Objects.requireNonNull(reply);
        return ErrorCode.INTERNAL;
    }

    private LookupRequest lookup() {
        return LookupRequest.newBuilder().setHandle(shard.handle()).setName("f").build();
    }

    private DeleteFileRequest deletion() {
        return DeleteFileRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("f")
                .build();
    }

    private void assertAllRefusedWith(ErrorCode expected) throws UnsettledException {
        Map<Kind, ErrorCode> met = new EnumMap<>(Kind.class);
        Map<Kind, ErrorCode> all = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            met.put(kind, refusal(kind));
            all.put(kind, expected);
        }
        assertEquals(all, met);
    }

    @Test
    void whoIsTheSuperuserNoLongerMayNothingByAnOlderHandle() throws Exception {
        shard.caller = LEFT;
        assertAllRefusedWith(ErrorCode.PERMISSION_DENIED);
        shard.caller = ROOT;
        assertEquals(ErrorCode.INTERNAL, refusal(Kind.LIST));
        assertEquals(ErrorCode.INTERNAL, refusal(Kind.CREATE));
        assertEquals(ErrorCode.INTERNAL, refusal(Kind.RENAME));
    }

    @Test
    void groupsAreTheRequests() throws Exception {
        shard.directory = shard.directory.toBuilder().setMode(0770).build();
        shard.caller = new Caller("bob", List.of("users"), false);
        assertEquals(ErrorCode.INTERNAL, refusal(Kind.LIST));
        shard.caller = LEFT;
        assertAllRefusedWith(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void whatWasResolvedTooLongAgoIsResolvedAnew() throws Exception {
        shard.caller = ROOT;
        shard.expiresMillis = shard.nowMillis;
        assertAllRefusedWith(ErrorCode.STALE_HANDLE);
        shard.expiresMillis = shard.nowMillis + 1;
        assertEquals(ErrorCode.INTERNAL, refusal(Kind.LIST));
    }
}
