package io.tatami.block.service.write;

import io.tatami.protocol.wire.WriteFrame;

/**
 * The state of a write session. A state holds the objects that can be used in it, and no others. Owned by the session's
 * worker.
 *
 * <pre>
 *  Opening --&gt; Streaming &lt;--&gt; Flushing --&gt; Finishing --&gt; Ended      and from each to Ended
 * </pre>
 */
sealed interface WriteState {
    /** The block's writer is not open yet. */
    record Opening() implements WriteState {}

    /** The server has a copy of the block, and the chain behind it was opened. */
    sealed interface Established extends WriteState permits Writing, Finishing {
        WrittenCopy copy();

        Downstream downstream();
    }

    /** The copy here can be written. */
    sealed interface Writing extends Established permits Streaming, Flushing {
        @Override
        OpenCopy copy();
    }

    /** Frames are stored as they come. */
    record Streaming(OpenCopy copy, Downstream downstream) implements Writing {}

    /**
     * A frame that asks for a flush was stored. The flush waits until the servers behind have its bytes in memory, and
     * later frames wait for the flush: it makes bytes visible, and a reader must not see bytes that a server behind can
     * still lose.
     */
    record Flushing(Streaming streaming, WriteFrame frame) implements Writing {
        @Override
        public OpenCopy copy() {
            return streaming.copy();
        }

        @Override
        public Downstream downstream() {
            return streaming.downstream();
        }
    }

    /** The copy here is final; the servers behind have not ended yet. A further frame is refused. */
    record Finishing(FinishedCopy copy, Downstream downstream) implements Established {}

    /** The stream was answered; later events are dropped. */
    record Ended() implements WriteState {}
}
