package io.tatami.copies;

import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.AttributeChange;
import java.util.List;

/** Two things that are done to the same block, one a moment after the other. */
enum Meeting {
    /** Somebody takes the file over while its writer writes. */
    WRITER_AND_SEAL(3, 2) {
        @Override
        void prepare(MeetingScript script) {}

        @Override
        void first(MeetingScript script) {
            script.write(3, 0);
        }

        @Override
        boolean isMet(MeetingScript script) {
            return !holders(script).isEmpty();
        }

        @Override
        void second(MeetingScript script) {
            script.byClient(client -> script.untilDone(() -> client.recoverLease(path(script))));
        }
    },
    /** A server of the block is to be emptied while it is written. */
    WRITER_AND_DRAIN(4, 2) {
        @Override
        void prepare(MeetingScript script) {}

        @Override
        void first(MeetingScript script) {
            script.write(4, PAUSE_NANOS);
        }

        @Override
        boolean isMet(MeetingScript script) {
            return !holders(script).isEmpty();
        }

        @Override
        void second(MeetingScript script) {
            script.world().membership().order(holder(script), SimMembership.Order.DRAIN);
            script.world().membership().look();
        }
    },
    /** The file is deleted while a third copy is made of it. */
    PULL_AND_DELETE(3, 2) {
        @Override
        void prepare(MeetingScript script) {
            script.write(2, 0);
        }

        @Override
        void first(MeetingScript script) {
            script.byClient(client -> wantCopies(client, script, 3));
        }

        @Override
        void second(MeetingScript script) {
            script.byClient(client -> {
                script.file().deleting();
                if (client.delete(path(script), false)) {
                    script.file().deleted();
                }
            });
        }
    },
    /** A new leader of the shard audits while a writer opens the file at its end. */
    AUDIT_AND_APPEND(3, 2) {
        @Override
        void prepare(MeetingScript script) {
            script.write(2, 0);
        }

        @Override
        void first(MeetingScript script) {
            script.world().metadata().kill();
            script.world().metadata().start();
        }

        @Override
        void second(MeetingScript script) {
            script.write(2, 0);
        }
    },
    /** A host is lost with its disks while the file gives a copy up. */
    TRIM_AND_DEATH(4, 3) {
        @Override
        void prepare(MeetingScript script) {
            script.write(2, 0);
        }

        @Override
        void first(MeetingScript script) {
            script.byClient(client -> wantCopies(client, script, 2));
        }

        @Override
        void second(MeetingScript script) {
            SimServer lost = script.world().server(holder(script));
            if (script.world().judge().canDoWithout(lost)) {
                script.world().coverage().count("hosts destroyed");
                lost.destroy();
            } else {
                lost.leave(true, LONG_AWAY_NANOS);
            }
        }
    };

    /** So long that the server is dead. */
    private static final long LONG_AWAY_NANOS = 15_000_000_000L;

    /** Some parts are written before upkeep comes to the block, and some after it. */
    private static final long PAUSE_NANOS = 400_000_000L;

    private final int servers;
    private final int copies;

    Meeting(int servers, int copies) {
        this.servers = servers;
        this.copies = copies;
    }

    int servers() {
        return servers;
    }

    /** Of the file at first. */
    int copies() {
        return copies;
    }

    /** What is there when they meet. */
    abstract void prepare(MeetingScript script);

    abstract void first(MeetingScript script);

    /** Whether the first is in its midst, so that the second begins. */
    boolean isMet(MeetingScript script) {
        return script.troubles().isCommanded();
    }

    abstract void second(MeetingScript script);

    private static TatamiPath path(MeetingScript script) throws TatamiException {
        return TatamiPath.of(script.file().path());
    }

    private static void wantCopies(TatamiClient client, MeetingScript script, int copies) throws TatamiException {
        client.setAttributes(
                path(script),
                AttributeChange.newBuilder().setReplication(copies).build());
    }

    private static ServerId holder(MeetingScript script) {
        List<ServerId> holders = holders(script);
        return holders.isEmpty() ? new ServerId(1) : holders.get(0);
    }

    /** Of the file's first block. */
    private static List<ServerId> holders(MeetingScript script) {
        List<BlockRecord> blocks =
                script.world().metadata().blocks(script.file().file());
        return blocks.isEmpty()
                ? List.of()
                : BlockCopies.counted(blocks.get(0)).stream()
                        .map(BlockCopies.Copy::server)
                        .toList();
    }
}
