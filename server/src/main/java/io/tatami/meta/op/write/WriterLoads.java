package io.tatami.meta.op.write;

import io.tatami.base.ServerId;

/** How many writers each block server has, for placement: nothing that must be exact may hang on it. */
public interface WriterLoads {
    /** Of a shard that counts no writers: places go by room and chance alone. */
    WriterLoads NONE = new WriterLoads() {
        @Override
        public int on(ServerId server) {
            return 0;
        }

        @Override
        public void granted(ServerId server) {}

        @Override
        public void ended(ServerId server) {}
    };

    /** How many write streams the server has, or is about to have. */
    int on(ServerId server);

    /** The server is to get one more; counts for the next question already. */
    void granted(ServerId server);

    /** A writer has finished the block that it wrote there; counts for the next question already. */
    void ended(ServerId server);
}
