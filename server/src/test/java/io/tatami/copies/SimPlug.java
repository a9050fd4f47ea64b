package io.tatami.copies;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.index.IndexStore;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What connects one process with the disks of its host: once it is pulled, whatever the objects of that process still
 * do reaches no disk.
 */
final class SimPlug {
    private boolean pulled;

    void pull() {
        pulled = true;
    }

    boolean isPulled() {
        return pulled;
    }

    private void requireIn() throws TatamiException {
        if (pulled) {
            throw new TatamiException(ErrorCode.IO_ERROR, "simulated: this process has ended");
        }
    }

    Device device(Device disk) {
        return new PluggedDevice(disk);
    }

    IndexStore index(IndexStore store) {
        return new PluggedStore(store);
    }

    private final class PluggedDevice implements Device {
        private final Device disk;

        PluggedDevice(Device disk) {
            this.disk = disk;
        }

        @Override
        public String name() {
            return disk.name();
        }

        @Override
        public long sizeBytes() {
            return disk.sizeBytes();
        }

        @Override
        public void readFully(long offsetBytes, ByteBuffer into) throws TatamiException {
            requireIn();
            disk.readFully(offsetBytes, into);
        }

        @Override
        public void write(long offsetBytes, ByteBuffer from) throws TatamiException {
            requireIn();
            disk.write(offsetBytes, from);
        }

        @Override
        public void flush() throws TatamiException {
            requireIn();
            disk.flush();
        }

        @Override
        public void close() {
            // The disk is the host's.
        }
    }

    private final class PluggedStore implements IndexStore {
        private final IndexStore store;

        PluggedStore(IndexStore store) {
            this.store = store;
        }

        @Override
        public byte @Nullable [] get(byte[] key) throws TatamiException {
            requireIn();
            return store.get(key);
        }

        @Override
        public void scan(byte[] prefix, Visitor visitor) throws TatamiException {
            requireIn();
            store.scan(prefix, visitor);
        }

        @Override
        public void write(List<Change> changes) throws TatamiException {
            requireIn();
            store.write(changes);
        }

        @Override
        public void write(List<Change> changes, Addition addition) throws TatamiException {
            requireIn();
            store.write(changes, addition);
        }

        @Override
        public List<String> findDamage() throws TatamiException {
            requireIn();
            return store.findDamage();
        }

        @Override
        public long usableBytes() throws TatamiException {
            requireIn();
            return store.usableBytes();
        }

        @Override
        public void close() {
            // The index is the host's.
        }
    }
}
