package io.tatami.block.service.write;

import io.tatami.protocol.wire.WriteFrame;

/**
 * How far a write session is. Each state has what can be used in it, and no more. Owned by the session's worker.
 *
 * <pre>
 *  Opening --&gt; Streaming &lt;--&gt; Flushing --&gt; Finishing --&gt; Ended      and from each to Ended
 * </pre>
 */
sealed interface WriteState {
    /** The block's writer is not open yet. */
    record Opening() implements WriteState {}

    /** The block's copy here is there, and what is behind it is known. */
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
     * A frame that asks for a flush was stored. The flush comes once the servers behind have its bytes in memory, and
     * frames wait for that: flushing makes bytes visible, and no reader may see here what could still be lost behind.
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

    /** The copy here is final; a frame that comes now is one too many. */
    record Finishing(FinishedCopy copy, Downstream downstream) implements Established {}

    /** The stream was answered; what comes now is nobody's. */
    record Ended() implements WriteState {}
}
