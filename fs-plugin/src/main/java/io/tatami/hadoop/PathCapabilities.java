package io.tatami.hadoop;

import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;

/** What works on every path of Tatami; nothing else is declared. */
final class PathCapabilities {
    private PathCapabilities() {}

    static boolean has(Path path, String capability) {
        return switch (PathCapabilitiesSupport.validatePathCapabilityArgs(path, capability)) {
            case CommonPathCapabilities.FS_ACLS,
                    CommonPathCapabilities.FS_APPEND,
                    CommonPathCapabilities.FS_CHECKSUMS,
                    CommonPathCapabilities.FS_CONCAT,
                    CommonPathCapabilities.FS_LIST_CORRUPT_FILE_BLOCKS,
                    CommonPathCapabilities.FS_PATHHANDLES,
                    CommonPathCapabilities.FS_PERMISSIONS,
                    CommonPathCapabilities.FS_TRUNCATE,
                    CommonPathCapabilities.FS_XATTRS,
                    CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                    CommonPathCapabilities.ETAGS_AVAILABLE,
                    CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
                    CommonPathCapabilities.LEASE_RECOVERABLE,
                    CommonPathCapabilities.BULK_DELETE -> true;
            default -> false;
        };
    }
}
