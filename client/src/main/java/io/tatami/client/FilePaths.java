package io.tatami.client;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the paths of files by their ids. The check of a file by its id tells one of its blocks, and the check of a
 * block tells the path of its file.
 */
final class FilePaths {
    private final MetadataCaller caller;
    private final Duration timeout;

    /** @param timeout for all files together */
    FilePaths(MetadataCaller caller, Duration timeout) {
        this.caller = caller;
        this.timeout = timeout;
    }

    /** Without the files whose paths are not found. */
    Map<FileId, TatamiPath> of(Collection<FileId> files) throws TatamiException {
        Deadline deadline = caller.deadline().atMost(timeout);
        List<FileId> minted = files.stream()
                .filter(file -> file.home().shard() < caller.shards())
                .toList();
        Map<FileId, TatamiPath> paths = new LinkedHashMap<>();
        for (SideBySide.Answer<FileId, TatamiPath> answer :
                SideBySide.ask(minted, timeout, file -> path(file, deadline))) {
            TatamiPath path = answer.value();
            if (path != null) {
                paths.put(answer.target(), path);
            }
        }
        return paths;
    }

    /** @throws TatamiException NOT_FOUND where the file is gone or has no block */
    private TatamiPath path(FileId file, Deadline deadline) throws TatamiException {
        // A page of one record has one block of a file, however many there are.
        FsckRequest ofFile = FsckRequest.newBuilder()
                .addFileId(file.value())
                .setListAll(true)
                .setLimit(1)
                .build();
        FsckReply page = caller.call(file.home(), MetaMethods.FSCK, ofFile, deadline);
        if (page.getFileCount() == 0 || page.getFile(0).getBlockCount() == 0) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "there is no block of " + file);
        }
        BlockId block = new BlockId(page.getFile(0).getBlock(0).getBlockId());
        FsckRequest ofBlock = FsckRequest.newBuilder()
                .setBlockId(block.value())
                .setListAll(true)
                .setLimit(1)
                .build();
        for (CheckedFile found :
                caller.call(block.home(), MetaMethods.FSCK, ofBlock, deadline).getFileList()) {
            if (!found.getPath().isEmpty()) {
                return TatamiPath.of(found.getPath());
            }
        }
        throw new TatamiException(ErrorCode.NOT_FOUND, "the directory of " + file + " is gone");
    }
}
