package io.tatami.meta.service.tree;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Markers;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** As much of files as the tree has to do with: names, owners and shares. A file is as long as its name. */
final class TestFiles {
    private final HandleCheck handles;

    TestFiles(HandleSigner signer) {
        this.handles = new HandleCheck(signer);
    }

    void register(GroupTable<ShardState> table) {
        table.write(MetaMethods.CREATE, this::create)
                .write(MetaMethods.DELETE_FILE, this::delete)
                .write(MetaMethods.RECLAIM_DIRECTORIES, this::reclaim)
                .read(MetaMethods.LIST, this::list);
    }

    private CreateReply create(ShardState state, RequestContext context, CreateRequest request)
            throws TatamiException, UnsettledException {
        Handle handle = handles.fresh(state, context, request.getHandle());
        DirectoryId parent = new DirectoryId(handle.getDirectoryId());
        Arrivals.requireHere(state, handle, request.getName());
        EntryRecord entry = state.entry(parent, request.getName());
        if (entry != null && entry.hasMarker()) {
            Markers.requireTrue(context, parent, request.getName(), entry.getMarker());
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, request.getName() + " is a directory");
        }
        if (entry != null) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, request.getName() + " exists");
        }
        FileEntry file = FileEntry.newBuilder()
                .setFileId(state.mintFile().value())
                .setLength(request.getName().length())
                .setReplication(1)
                .setAttributes(Attributes.newBuilder()
                        .setOwner(context.caller().user())
                        .setMode(0644))
                .build();
        changeName(
                state,
                parent,
                request.getName(),
                EntryRecord.newBuilder().setFile(file).build());
        Arrivals.noteChange(state, handle);
        return CreateReply.getDefaultInstance();
    }

    private Empty delete(ShardState state, RequestContext context, DeleteFileRequest request)
            throws TatamiException, UnsettledException {
        Handle handle = handles.fresh(state, context, request.getHandle());
        DirectoryId parent = new DirectoryId(handle.getDirectoryId());
        Arrivals.requireHere(state, handle, request.getName());
        EntryRecord entry = state.entry(parent, request.getName());
        if (entry == null || !entry.hasFile()) {
            throw new TatamiException(ErrorCode.NOT_FOUND, request.getName());
        }
        changeName(state, parent, request.getName(), null);
        return Empty.getDefaultInstance();
    }

    private static void changeName(ShardState state, DirectoryId parent, String name, @Nullable EntryRecord after) {
        long nowMillis = state.slice(parent).getLastChangeMillis() + 1;
        state.entries().changeName(parent, name, after, nowMillis);
    }

    private Empty reclaim(ShardState state, RequestContext context, ReclaimDirectoriesRequest request) {
        for (long id : request.getDirectoryIdList()) {
            DirectoryId directory = new DirectoryId(id);
            names(state, directory).forEach(name -> state.entries().changeRecord(directory, name, null));
            state.removeSlice(directory);
        }
        return Empty.getDefaultInstance();
    }

    private ListReply list(ShardState state, RequestContext context, ListRequest request) throws TatamiException {
        Handle handle = handles.fresh(state, context, request.getHandle());
        DirectoryId directory = new DirectoryId(handle.getDirectoryId());
        ListReply.Builder reply = ListReply.newBuilder();
        for (String name : names(state, directory)) {
            EntryRecord entry = state.entry(directory, name);
            if (entry != null && entry.hasFile()) {
                reply.addStatus(Status.newBuilder()
                        .setName(name)
                        .setAttributes(entry.getFile().getAttributes()));
            }
        }
        return reply.build();
    }

    static List<String> names(ShardState state, DirectoryId directory) {
        List<String> names = new ArrayList<>();
        byte[] prefix = Keys.entries(directory);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                names.add(Keys.nameOf(cursor.key()));
            }
        }
        return names;
    }
}
