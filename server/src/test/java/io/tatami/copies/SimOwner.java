package io.tatami.copies;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.AttributeChange;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A client that changes how many copies files are to have, and deletes some. */
final class SimOwner implements Runnable {
    private static final int PAUSE_MILLIS_MAX = 4_000;

    private final CopiesWorld world;
    private final Random random;
    private final SimClient client;
    private final int changes;
    private final int copiesMin;
    private final boolean deletes;

    /**
     * @param changes how many it makes
     * @param copiesMin that a file is to have
     */
    SimOwner(CopiesWorld world, Random random, SimClient client, int changes, int copiesMin, boolean deletes) {
        this.world = world;
        this.random = random;
        this.client = client;
        this.changes = changes;
        this.copiesMin = copiesMin;
        this.deletes = deletes;
    }

    @Override
    public void run() {
        try (TatamiClient opened = client.open()) {
            for (int change = 0; change < changes; change++) {
                world.time().sleep(TimeUnit.MILLISECONDS.toNanos(random.nextInt(PAUSE_MILLIS_MAX)));
                int which = random.nextInt(world.judge().files().size());
                FileModel file = world.judge().files().get(which);
                if (file.isBegun()) {
                    change(opened, file);
                }
            }
        } catch (TatamiException e) {
            world.judge().heard(e);
        }
    }

    private void change(TatamiClient opened, FileModel file) throws TatamiException {
        TatamiPath path = TatamiPath.of(file.path());
        try {
            if (deletes && random.nextInt(4) == 0) {
                file.deleting();
                if (opened.delete(path, false)) {
                    file.deleted();
                    world.coverage().count("files deleted");
                }
            } else {
                int copies = copiesMin + random.nextInt(4 - copiesMin);
                opened.setAttributes(
                        path,
                        AttributeChange.newBuilder().setReplication(copies).build());
                world.coverage().count("other numbers of copies");
            }
        } catch (TatamiException e) {
            world.judge().heard(e);
        }
    }
}
