package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.rename.CommitMove;
import io.tatami.meta.op.rename.FinishMove;
import io.tatami.meta.op.rename.PrepareMove;
import io.tatami.meta.op.shard.Announce;
import io.tatami.meta.op.shard.ReserveMarker;
import io.tatami.meta.op.shard.SettleMarker;
import io.tatami.meta.op.widen.GiveEntries;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AnnounceReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import io.tatami.protocol.wire.SettleMarkerRequest;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Bugs that the simulation must notice. */
enum Planted implements Plant {
    /** The destination does not check the handles again before it commits. */
    COMMIT_TRUSTS_HANDLES {
        @Override
        public void before(Operation<?, ?, ?> operation, Draft records, Message request) {
            if (operation instanceof CommitMove) {
                ShardState state = new ShardState(records);
                records.put(KEPT, Long.toString(state.gateNewest().value()).getBytes(StandardCharsets.US_ASCII));
                state.putGateNewest(TreeVersion.NONE);
            }
        }

        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (operation instanceof CommitMove) {
                byte[] kept = Objects.requireNonNull(records.get(KEPT));
                records.delete(KEPT);
                new ShardState(records)
                        .putGateNewest(new TreeVersion(Long.parseLong(new String(kept, StandardCharsets.US_ASCII))));
            }
        }
    },

    /** The record of a move goes with the commit, as those of moves that their sources have finished do. */
    ENDED_WITH_ITS_COMMIT {
        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (request instanceof CommitMoveRequest commit) {
                new ShardState(records).removeTransaction(new TransactionId(commit.getTransactionId()));
            }
        }
    },

    /** What frees a name after the answer frees it whatever has it by now. */
    FREED_WHATEVER_HAS_IT {
        @Override
        public Message asked(Message request) {
            return request instanceof SettleMarkerRequest settle && settle.getClear()
                    ? settle.toBuilder().setVersion(Long.MAX_VALUE).build()
                    : request;
        }
    },

    /** A move ends at the destination although the source has not heard of its commit. */
    FINISH_LOST {
        @Override
        public @Nullable Message answered(Method<?, ?> method) {
            return method.number() == MetaMethods.FINISH_MOVE.number() ? Empty.getDefaultInstance() : null;
        }
    },

    /** What is on its way looks as if nothing were. */
    PREPARE_WITHOUT_MARK {
        @Override
        public boolean drops(Operation<?, ?, ?> operation) {
            return operation instanceof PrepareMove;
        }
    },

    /** Whoever asks how a move stands takes it for aborted. */
    READER_ABORTS {
        @Override
        public Message told(Message reply) {
            return reply instanceof MoveStatusReply ? MoveStatusReply.getDefaultInstance() : reply;
        }
    },

    /**
     * A move goes on although the record that says so is gone. Here the sums alone tell: whoever drives a move is not
     * told to abort it but by an older move, which has then ended before the source answers. {@code MoveStepsTest} has
     * the order that doubles a name.
     */
    COMMIT_AFTER_ABORT {
        @Override
        public void before(Operation<?, ?, ?> operation, Draft records, Message request) {
            ShardState state = new ShardState(records);
            if (request instanceof CommitMoveRequest commit
                    && state.transaction(new TransactionId(commit.getTransactionId())) == null) {
                begin(state, commit);
            }
        }
    },

    /** The source lets go of the entry when it is asked for it. */
    GONE_BEFORE_COMMIT {
        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (request instanceof PrepareMoveRequest prepare && reply instanceof PrepareMoveReply prepared) {
                letGo(new ShardState(records), prepare.getTransactionId(), prepared.getMark());
            }
        }
    },

    MARKER_LEFT {
        @Override
        public boolean drops(Operation<?, ?, ?> operation) {
            return operation instanceof SettleMarker;
        }
    },

    NAME_NOT_RESERVED {
        @Override
        public boolean drops(Operation<?, ?, ?> operation) {
            return operation instanceof ReserveMarker;
        }
    },

    /** Shards acknowledge a change of the tree, and go on with older handles. */
    ANNOUNCEMENT_FORGOTTEN {
        @Override
        public boolean drops(Operation<?, ?, ?> operation) {
            return operation instanceof Announce;
        }
    },

    /** A directory is judged without what the shards say is in it. */
    SHARES_UNREAD {
        @Override
        public Message told(Message reply) {
            if (reply instanceof AnnounceReply announced) {
                AnnounceReply.Builder unread = announced.toBuilder();
                unread.getSliceBuilderList().forEach(slice -> slice.setFiles(0).setMoving(0));
                return unread.build();
            }
            return reply;
        }
    },

    HOME_NOT_TOLD {
        @Override
        public Message asked(Message request) {
            return request instanceof OutboxDelivery message && message.hasMoved()
                    ? message.toBuilder().clearMoved().build()
                    : request;
        }
    },

    /** A shard that gives entries away drops them before they have arrived. */
    DROPPED_BEFORE_ARRIVAL {
        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (request instanceof GiveEntriesRequest give
                    && reply instanceof GiveEntriesReply given
                    && !given.getUpTo().isEmpty()) {
                drop(new ShardState(records), give.toBuilder().setArrivedUpTo(given.getUpTo()));
            }
        }
    },

    /** A shard that gets a part of a directory takes the first entries for all. */
    FIRST_TAKEN_FOR_ALL {
        @Override
        public Message told(Message reply) {
            return reply instanceof GiveEntriesReply given
                    ? given.toBuilder().setMore(false).build()
                    : reply;
        }
    },

    /** A group whose log failed goes on answering, and takes the change for withdrawn. */
    STOPPED_GROUP_ANSWERS {
        @Override
        public boolean answersAfterFailure() {
            return true;
        }
    },

    /** Who opens a file again that was made without a block takes it for closed. */
    FIRST_LEASE_OVERLOOKED {
        @Override
        public void before(Operation<?, ?, ?> operation, Draft records, Message request) {
            if (request instanceof AppendRequest append) {
                ShardState state = new ShardState(records);
                DirectoryId directory =
                        new DirectoryId(handle(append.getHandle()).getDirectoryId());
                EntryRecord entry = state.entry(directory, append.getName());
                if (entry != null && entry.getFile().getUnwrittenBy() != 0) {
                    state.removeFirstLease(
                            new SessionId(entry.getFile().getUnwrittenBy()),
                            new FileId(entry.getFile().getFileId()));
                }
            }
        }
    },

    /** A session that has opened a file again closes it with what it wrote before that was taken from it. */
    OPENING_NOT_COMPARED {
        @Override
        public void before(Operation<?, ?, ?> operation, Draft records, Message request) {
            if (request instanceof CompleteRequest complete) {
                ShardState state = new ShardState(records);
                FileId file = new FileId(complete.getFileId());
                HomeRecord home = state.home(file);
                if (home != null) {
                    state.putHome(
                            file,
                            home.toBuilder()
                                    .setRecoveryId(complete.getRecoveryId())
                                    .build());
                }
            }
        }
    },

    /** What was fetched ahead of its turn comes once more when that has come. */
    FETCHED_TWICE {
        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (request instanceof ArriveEntryRequest arrived) {
                new ShardState(records).removeFetched(new DirectoryId(arrived.getDirectoryId()), arrived.getName());
            }
        }
    };

    private static final byte[] KEPT = Keys.singleton("planted");

    private static void letGo(ShardState state, long transaction, long mark) {
        TransactionRecord move = state.transaction(new TransactionId(transaction));
        if (move != null && mark != 0) {
            RequestContext context =
                    new RequestContext(RequestOrigin.SERVICE.caller(), RequestOrigin.SERVICE.session(), 1);
            Empty unused = new FinishMove()
                    .decide(
                            state,
                            context,
                            FinishMoveRequest.newBuilder()
                                    .setTransactionId(transaction)
                                    .setCommitted(true)
                                    .setParentId(move.getSourceParentId())
                                    .setName(move.getSourceName())
                                    .setMark(mark)
                                    .build());
        }
    }

    private static void drop(ShardState state, GiveEntriesRequest.Builder arrived) {
        RequestContext context = new RequestContext(RequestOrigin.SERVICE.caller(), RequestOrigin.SERVICE.session(), 1);
        try {
            var unused = new GiveEntries().decide(state, context, arrived.build());
        } catch (UnsettledException e) {
            // Nothing of it has been dropped.
        }
    }

    /** What a commit needs to find, made up. */
    private static void begin(ShardState state, CommitMoveRequest request) {
        Handle handle = handle(request.getRename().getDestinationHandle());
        DirectoryId directory = new DirectoryId(handle.getDirectoryId());
        String name = request.getRename().getDestinationName();
        EntryRecord entry = state.entry(directory, name);
        EntryRecord.Builder marked = entry == null ? EntryRecord.newBuilder() : entry.toBuilder();
        // Past the door of entries, which would count the mark as the beginning of a move.
        state.draft()
                .put(
                        Keys.entry(directory, name),
                        marked.setArrivingTransaction(request.getTransactionId())
                                .build()
                                .toByteArray());
        state.putTransaction(
                new TransactionId(request.getTransactionId()),
                TransactionRecord.newBuilder().setDestination(true).build());
    }

    private static Handle handle(SignedHandle signed) {
        try {
            return Handle.parseFrom(signed.getPayload());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
