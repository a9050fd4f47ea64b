package io.tatami.meta.op.file;

import com.google.protobuf.ByteString;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;

/** Times the decisions that make and close a small file, and counts what they write. Run by hand. */
final class DecideMeasurement {
    private static final int WARM_UP = 100_000;
    private static final int MEASURED = 200_000;

    private DecideMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        for (int grants = 0; grants <= 1; grants++) {
            FileShard shard = new FileShard();
            CreateFile create = new CreateFile(shard.handles, FileLimits.DEFAULT);
            CompleteFile complete = new CompleteFile(FileLimits.DEFAULT);
            long started = 0;
            long records = 0;
            long bytes = 0;
            var request = shard.creation("x").setGrants(grants);
            for (int i = 0; i < WARM_UP + MEASURED; i++) {
                if (i == WARM_UP) {
                    started = System.nanoTime();
                }
                Draft draft = new Draft(shard.store());
                CreateReply created = create.decide(
                        new ShardState(draft),
                        shard.context(),
                        request.setName("file-" + i).build());
                CompleteRequest.Builder close = CompleteRequest.newBuilder()
                        .setFileId(created.getStatus().getId());
                if (grants == 0) {
                    close.setInline(ByteString.copyFromUtf8("content"));
                } else {
                    close.addWritten(FileShard.report(created.getGrant(0), 100));
                }
                Draft next = new Draft(draft);
                complete.decide(new ShardState(next), shard.context(), close.build());
                if (i >= WARM_UP) {
                    records += draft.changes().size() + next.changes().size();
                    bytes += size(draft) + size(next);
                }
            }
            double micros = (System.nanoTime() - started) / 1e3 / MEASURED;
            System.out.printf(
                    "create with %d grants + complete: %.1f us, %.1f records, %.0f bytes%n",
                    grants, micros, (double) records / MEASURED, (double) bytes / MEASURED);
        }
    }

    private static long size(Draft draft) {
        long bytes = 0;
        for (var change : draft.changes().entrySet()) {
            byte[] value = change.getValue().value();
            bytes += change.getKey().length + (value == null ? 0 : value.length);
        }
        return bytes;
    }
}
