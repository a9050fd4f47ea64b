package io.tatami.block.service.write;

/** Nothing is behind: the server is the last of its chain, or the only one. */
enum ChainTail implements Downstream {
    TAIL;

    @Override
    public long visibleBytes(long hereBytes) {
        return hereBytes;
    }

    @Override
    public long durableBytes(long hereBytes) {
        return hereBytes;
    }

    @Override
    public long flushedBytes(long hereBytes) {
        return hereBytes;
    }

    @Override
    public long roomBytes(long hereBytes) {
        return hereBytes;
    }

    @Override
    public long passedOnBytes(long storedBytes) {
        return storedBytes;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public boolean isFinished() {
        return true;
    }

    @Override
    public void cancel(String reason) {}
}
