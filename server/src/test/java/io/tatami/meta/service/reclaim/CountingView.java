package io.tatami.meta.service.reclaim;

import io.tatami.meta.state.View;
import org.jspecify.annotations.Nullable;

/** A view that tells of each record of one kind that a scan comes to. */
record CountingView(View view, char kind, Runnable count) implements View {
    @Override
    public byte @Nullable [] get(byte[] key) {
        return view.get(key);
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        Cursor cursor = view.scan(from, to);
        return new Cursor() {
            @Override
            public boolean next() {
                boolean found = cursor.next();
                if (found && cursor.key()[0] == kind) {
                    count.run();
                }
                return found;
            }

            @Override
            public byte[] key() {
                return cursor.key();
            }

            @Override
            public byte[] value() {
                return cursor.value();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }
}
