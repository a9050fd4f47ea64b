package io.tatami.crash;

import java.util.Arrays;

/** What the ledger knows of one path. */
sealed interface Node {
    /** Permission bits. */
    int mode();

    Node withMode(int mode);

    record Directory(int mode) implements Node {
        @Override
        public Node withMode(int changed) {
            return new Directory(changed);
        }
    }

    record Link(String target) implements Node {
        @Override
        public int mode() {
            return 0777;
        }

        @Override
        public Node withMode(int changed) {
            return this;
        }
    }

    /**
     * A file. After a crash its content is a beginning of {@code issued} with {@code lengthMin} bytes at least.
     *
     * @param issued everything that was written, acknowledged or not
     * @param lengthMin what was made durable
     */
    record Content(int mode, byte[] issued, int lengthMin) implements Node {
        /** A file that was closed with exactly these bytes. */
        static Content closed(int mode, byte[] bytes) {
            return new Content(mode, bytes, bytes.length);
        }

        @Override
        public Node withMode(int changed) {
            return new Content(changed, issued, lengthMin);
        }

        Content issuing(byte[] all) {
            return new Content(mode, all, lengthMin);
        }

        Content durable() {
            return new Content(mode, issued, issued.length);
        }

        boolean allows(byte[] found) {
            return found.length >= lengthMin
                    && found.length <= issued.length
                    && Arrays.equals(found, 0, found.length, issued, 0, found.length);
        }
    }
}
