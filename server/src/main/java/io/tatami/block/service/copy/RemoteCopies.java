package io.tatami.block.service.copy;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.ReadTerms;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.rpc.CallOptions;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies on the block servers of the cluster, read as by any client. */
public final class RemoteCopies implements CopySources {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCopies.class);

    private final BlockClient client;

    public RemoteCopies(BlockClient client) {
        this.client = client;
    }

    @Override
    public SourceCopy of(BlockTarget source, BlockId block, Generation generation, boolean background) {
        return new RemoteCopy(source, block, generation, background);
    }

    private final class RemoteCopy implements SourceCopy {
        private final BlockTarget source;
        private final BlockId block;
        private final Generation generation;
        private final boolean background;
        private @Nullable BlockReadStream stream;

        RemoteCopy(BlockTarget source, BlockId block, Generation generation, boolean background) {
            this.source = source;
            this.block = block;
            this.generation = generation;
            this.background = background;
        }

        @Override
        public Description describe() throws TatamiException {
            BlockInfoReply info = client.blockInfo(source, block);
            return new Description(Generation.of(info.getGeneration()), info.getVisibleLength(), info.getFinalized());
        }

        @Override
        public int[] checksums(long lengthBytes) throws TatamiException {
            return client.chunkChecksums(source, block, generation, 0, lengthBytes);
        }

        @Override
        public void begin(long offsetBytes, long lengthBytes) throws TatamiException {
            ReadTerms terms = new ReadTerms(false, true, background);
            stream = client.openReader(source, block, generation, offsetBytes, lengthBytes, terms);
        }

        @Override
        public boolean await(long nanos) throws TatamiException {
            return open().await(nanos);
        }

        @Override
        public int read(ByteBuffer into) throws TatamiException {
            return open().read(into);
        }

        @Override
        public void reportDamage(long offsetBytes) {
            ReportDamageRequest report = ReportDamageRequest.newBuilder()
                    .setBlockId(block.value())
                    .setGeneration(generation.value())
                    .setOffset(offsetBytes)
                    .build();
            try {
                CompletableFuture<Empty> unused = client.bulkConnection(source)
                        .call(BlockMethods.REPORT_DAMAGE, CallOptions.DEFAULT, report)
                        .whenComplete((reply, failure) -> {
                            if (failure != null) {
                                LOG.debug("{} did not take a report of damage of {}", source, block, failure);
                            }
                        });
            } catch (TatamiException e) {
                LOG.debug("{} cannot be told of damage of {}", source, block, e);
            }
        }

        @Override
        public void close() {
            if (stream != null) {
                stream.close();
            }
        }

        private BlockReadStream open() {
            if (stream == null) {
                throw new IllegalStateException(block + " of " + source + " is read before it is opened");
            }
            return stream;
        }
    }
}
