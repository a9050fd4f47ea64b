package io.tatami.hadoop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * Things that programs do to a file system, each with an answer that can be compared: what it returned, and what it
 * left behind. Every one begins with a directory that holds {@code file} (10 bytes), {@code other} (5 bytes),
 * {@code empty/} and {@code full/child}.
 */
record HdfsComparison(String name, Action action) {
    static final List<HdfsComparison> ALL = List.of(
            new HdfsComparison("STATUS_OF_NOTHING", (fs, dir) -> told(fs.getFileStatus(new Path(dir, "nothing")))),
            new HdfsComparison("STATUS_BELOW_FILE", (fs, dir) -> told(fs.getFileStatus(new Path(dir, "file/child")))),
            new HdfsComparison("STATUS_OF_FILE", (fs, dir) -> told(fs.getFileStatus(new Path(dir, "file")))),
            new HdfsComparison("STATUS_OF_DIRECTORY", (fs, dir) -> told(fs.getFileStatus(new Path(dir, "full")))),
            new HdfsComparison(
                    "STATUS_OF_ROOT",
                    (fs, dir) -> String.valueOf(fs.getFileStatus(new Path("/")).isDirectory())),
            new HdfsComparison(
                    "EXISTS_BELOW_FILE", (fs, dir) -> String.valueOf(fs.exists(new Path(dir, "file/child")))),
            new HdfsComparison("LIST_NOTHING", (fs, dir) -> told(fs.listStatus(new Path(dir, "nothing")))),
            new HdfsComparison("LIST_BELOW_FILE", (fs, dir) -> told(fs.listStatus(new Path(dir, "file/child")))),
            new HdfsComparison("LIST_FILE", (fs, dir) -> told(fs.listStatus(new Path(dir, "file")))),
            new HdfsComparison("LIST_DIRECTORY", (fs, dir) -> told(fs.listStatus(dir))),
            new HdfsComparison(
                    "LIST_ITERATOR_OF_NOTHING", (fs, dir) -> told(fs.listStatusIterator(new Path(dir, "nothing")))),
            new HdfsComparison("LIST_ITERATOR_OF_DIRECTORY", (fs, dir) -> told(fs.listStatusIterator(dir))),
            new HdfsComparison(
                    "LIST_LOCATED_NOTHING", (fs, dir) -> told(fs.listLocatedStatus(new Path(dir, "nothing")))),
            new HdfsComparison("LIST_LOCATED_DIRECTORY", (fs, dir) -> told(fs.listLocatedStatus(dir))),
            new HdfsComparison("GLOB", (fs, dir) -> told(fs.globStatus(new Path(dir, "{f,o}*")))),
            new HdfsComparison("OPEN_NOTHING", (fs, dir) -> read(fs, new Path(dir, "nothing"))),
            new HdfsComparison("OPEN_DIRECTORY", (fs, dir) -> read(fs, new Path(dir, "full"))),
            new HdfsComparison("OPEN_BELOW_FILE", (fs, dir) -> read(fs, new Path(dir, "file/child"))),
            new HdfsComparison("OPEN_BUILDER_WITH_UNKNOWN_MUST", (fs, dir) -> {
                fs.openFile(new Path(dir, "file"))
                        .must("fs.option.unknown", "x")
                        .build()
                        .get()
                        .close();
                return "opened";
            }),
            new HdfsComparison("OPEN_BUILDER_WITH_POLICY", (fs, dir) -> {
                FSDataInputStream in = fs.openFile(new Path(dir, "file"))
                        .must("fs.option.openfile.read.policy", "sequential")
                        .opt("fs.option.openfile.split.start", "2")
                        .build()
                        .get();
                try (in) {
                    return String.valueOf(in.read());
                }
            }),
            new HdfsComparison("READ_AFTER_CLOSE", (fs, dir) -> {
                FSDataInputStream in = fs.open(new Path(dir, "file"));
                in.close();
                return String.valueOf(in.read());
            }),
            new HdfsComparison("SEEK_BEYOND_END", (fs, dir) -> {
                try (FSDataInputStream in = fs.open(new Path(dir, "file"))) {
                    in.seek(11);
                    return "sought";
                }
            }),
            new HdfsComparison("CREATE_OVER_FILE", (fs, dir) -> write(fs.create(new Path(dir, "file"), false))),
            new HdfsComparison("CREATE_OVERWRITING_FILE", (fs, dir) -> write(fs.create(new Path(dir, "file"), true))),
            new HdfsComparison("CREATE_OVER_DIRECTORY", (fs, dir) -> write(fs.create(new Path(dir, "empty"), false))),
            new HdfsComparison(
                    "CREATE_OVERWRITING_DIRECTORY", (fs, dir) -> write(fs.create(new Path(dir, "empty"), true))),
            new HdfsComparison("CREATE_ROOT", (fs, dir) -> write(fs.create(new Path("/"), true))),
            new HdfsComparison("CREATE_BELOW_FILE", (fs, dir) -> write(fs.create(new Path(dir, "file/child"), true))),
            new HdfsComparison("CREATE_WITH_PARENTS", (fs, dir) -> write(fs.create(new Path(dir, "a/b/new"), true))),
            new HdfsComparison(
                    "CREATE_WITHOUT_PARENT",
                    (fs, dir) -> write(fs.createNonRecursive(
                            new Path(dir, "nothing/new"),
                            FsPermission.getFileDefault(),
                            true,
                            512,
                            (short) 1,
                            1024,
                            null))),
            new HdfsComparison(
                    "CREATE_NON_RECURSIVE_BELOW_FILE",
                    (fs, dir) -> write(fs.createNonRecursive(
                            new Path(dir, "file/new"),
                            FsPermission.getFileDefault(),
                            true,
                            512,
                            (short) 1,
                            1024,
                            null))),
            new HdfsComparison(
                    "CREATE_NEW_WITH_FLAG_APPEND",
                    (fs, dir) ->
                            write(flagged(fs, new Path(dir, "new"), EnumSet.of(CreateFlag.CREATE, CreateFlag.APPEND)))),
            new HdfsComparison(
                    "OVERWRITE_ALONE_OF_NOTHING",
                    (fs, dir) -> write(flagged(fs, new Path(dir, "nothing"), EnumSet.of(CreateFlag.OVERWRITE)))),
            new HdfsComparison(
                    "OVERWRITE_ALONE_OF_FILE",
                    (fs, dir) -> write(flagged(fs, new Path(dir, "file"), EnumSet.of(CreateFlag.OVERWRITE)))),
            new HdfsComparison("CREATE_FILE_BEING_WRITTEN", (fs, dir) -> {
                try (FSDataOutputStream first = fs.create(new Path(dir, "open"), false)) {
                    return write(fs.create(new Path(dir, "open"), false)) + first;
                }
            }),
            new HdfsComparison(
                    "CREATE_BY_BUILDER",
                    (fs, dir) -> write(fs.createFile(new Path(dir, "a/built"))
                            .recursive()
                            .permission(new FsPermission((short) 0640))
                            .build())),
            new HdfsComparison(
                    "CREATE_BY_BUILDER_WITHOUT_PARENT",
                    (fs, dir) ->
                            write(fs.createFile(new Path(dir, "nothing/built")).build())),
            new HdfsComparison(
                    "CREATE_WITH_ZERO_REPLICATION",
                    (fs, dir) -> write(fs.create(new Path(dir, "new"), true, 512, (short) 0, 1024))),
            new HdfsComparison(
                    "CREATE_WITH_NEGATIVE_BLOCK_SIZE",
                    (fs, dir) -> write(fs.create(new Path(dir, "new"), true, 512, (short) 1, -1))),
            new HdfsComparison(
                    "CREATE_EXECUTABLE",
                    (fs, dir) -> write(fs.create(
                            new Path(dir, "new"), new FsPermission((short) 0777), true, 512, (short) 1, 1024, null))),
            new HdfsComparison("WRITE_AFTER_CLOSE", (fs, dir) -> {
                FSDataOutputStream out = fs.create(new Path(dir, "new"));
                out.close();
                out.write(new byte[10_000]);
                return "written";
            }),
            new HdfsComparison("FLUSH_AFTER_CLOSE", (fs, dir) -> {
                FSDataOutputStream out = fs.create(new Path(dir, "new"));
                out.close();
                out.flush();
                out.hflush();
                return "flushed";
            }),
            new HdfsComparison("WRITE_TO_DELETED_FILE", (fs, dir) -> {
                FSDataOutputStream out = fs.create(new Path(dir, "new"));
                fs.delete(new Path(dir, "new"), false);
                return write(out);
            }),
            new HdfsComparison("APPEND_TO_NOTHING", (fs, dir) -> write(fs.append(new Path(dir, "nothing")))),
            new HdfsComparison("APPEND_TO_DIRECTORY", (fs, dir) -> write(fs.append(new Path(dir, "empty")))),
            new HdfsComparison("APPEND_TO_FILE", (fs, dir) -> write(fs.append(new Path(dir, "file")))),
            new HdfsComparison("APPEND_TO_FILE_BEING_WRITTEN", (fs, dir) -> {
                try (FSDataOutputStream first = fs.create(new Path(dir, "open"))) {
                    return write(fs.append(new Path(dir, "open"))) + first;
                }
            }),
            new HdfsComparison("MKDIRS_EXISTING", (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "full")))),
            new HdfsComparison("MKDIRS_OVER_FILE", (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "file")))),
            new HdfsComparison("MKDIRS_BELOW_FILE", (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "file/a/b")))),
            new HdfsComparison(
                    "MKDIRS_DEEP",
                    (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "a/b/c"), new FsPermission((short) 0500)))),
            new HdfsComparison("MKDIRS_ROOT", (fs, dir) -> String.valueOf(fs.mkdirs(new Path("/")))),
            new HdfsComparison(
                    "MKDIRS_STICKY",
                    (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "new"), new FsPermission((short) 01777)))),
            new HdfsComparison(
                    "DELETE_NOTHING", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "nothing"), true))),
            new HdfsComparison(
                    "DELETE_BELOW_FILE", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "file/child"), true))),
            new HdfsComparison(
                    "DELETE_FULL_DIRECTORY", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "full"), false))),
            new HdfsComparison(
                    "DELETE_EMPTY_DIRECTORY", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "empty"), false))),
            new HdfsComparison("DELETE_TREE", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "full"), true))),
            new HdfsComparison("DELETE_ROOT", (fs, dir) -> String.valueOf(fs.delete(new Path("/"), false))),
            new HdfsComparison("RENAME_NOTHING", (fs, dir) -> rename(fs, dir, "nothing", "new")),
            new HdfsComparison("RENAME_FILE", (fs, dir) -> rename(fs, dir, "file", "new")),
            new HdfsComparison("RENAME_FILE_TO_ITSELF", (fs, dir) -> rename(fs, dir, "file", "file")),
            new HdfsComparison("RENAME_DIRECTORY_TO_ITSELF", (fs, dir) -> rename(fs, dir, "full", "full")),
            new HdfsComparison("RENAME_FILE_ONTO_FILE", (fs, dir) -> rename(fs, dir, "file", "other")),
            new HdfsComparison("RENAME_FILE_INTO_DIRECTORY", (fs, dir) -> rename(fs, dir, "file", "full")),
            new HdfsComparison(
                    "RENAME_FILE_INTO_ITS_OWN_DIRECTORY", (fs, dir) -> rename(fs, dir, "full/child", "full")),
            new HdfsComparison("RENAME_DIRECTORY_INTO_DIRECTORY", (fs, dir) -> rename(fs, dir, "empty", "full")),
            new HdfsComparison("RENAME_DIRECTORY_INTO_ITSELF", (fs, dir) -> rename(fs, dir, "full", "full/inner")),
            new HdfsComparison("RENAME_DIRECTORY_ONTO_FILE", (fs, dir) -> rename(fs, dir, "full", "file")),
            new HdfsComparison("RENAME_BELOW_FILE", (fs, dir) -> rename(fs, dir, "other", "file/new")),
            new HdfsComparison("RENAME_FROM_BELOW_FILE", (fs, dir) -> rename(fs, dir, "file/child", "new")),
            new HdfsComparison("RENAME_TO_MISSING_PARENT", (fs, dir) -> rename(fs, dir, "file", "nothing/new")),
            new HdfsComparison(
                    "RENAME_ROOT", (fs, dir) -> String.valueOf(fs.rename(new Path("/"), new Path(dir, "new")))),
            new HdfsComparison("RENAME_INTO_ITS_PARENT", (fs, dir) -> rename(fs, dir, "full", ".")),
            new HdfsComparison("STRICT_RENAME_NOTHING", (fs, dir) -> strict(fs, dir, "nothing", "new")),
            new HdfsComparison("STRICT_RENAME_FILE", (fs, dir) -> strict(fs, dir, "file", "new")),
            new HdfsComparison("STRICT_RENAME_TO_ITSELF", (fs, dir) -> strict(fs, dir, "file", "file")),
            new HdfsComparison(
                    "STRICT_RENAME_TO_ITSELF_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "file", "file", Rename.OVERWRITE)),
            new HdfsComparison("STRICT_RENAME_ONTO_FILE", (fs, dir) -> strict(fs, dir, "file", "other")),
            new HdfsComparison(
                    "STRICT_RENAME_ONTO_FILE_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "file", "other", Rename.OVERWRITE)),
            new HdfsComparison("STRICT_RENAME_ONTO_DIRECTORY", (fs, dir) -> strict(fs, dir, "file", "empty")),
            new HdfsComparison(
                    "STRICT_RENAME_ONTO_DIRECTORY_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "file", "empty", Rename.OVERWRITE)),
            new HdfsComparison("STRICT_RENAME_DIRECTORY_ONTO_FILE", (fs, dir) -> strict(fs, dir, "full", "file")),
            new HdfsComparison(
                    "STRICT_RENAME_DIRECTORY_ONTO_FILE_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "full", "file", Rename.OVERWRITE)),
            new HdfsComparison("STRICT_RENAME_ONTO_EMPTY_DIRECTORY", (fs, dir) -> strict(fs, dir, "full", "empty")),
            new HdfsComparison(
                    "STRICT_RENAME_ONTO_EMPTY_DIRECTORY_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "full", "empty", Rename.OVERWRITE)),
            new HdfsComparison(
                    "STRICT_RENAME_ONTO_FULL_DIRECTORY_OVERWRITING",
                    (fs, dir) -> strict(fs, dir, "empty", "full", Rename.OVERWRITE)),
            new HdfsComparison("STRICT_RENAME_INTO_ITSELF", (fs, dir) -> strict(fs, dir, "full", "full/inner")),
            new HdfsComparison("STRICT_RENAME_BELOW_FILE", (fs, dir) -> strict(fs, dir, "other", "file/new")),
            new HdfsComparison("STRICT_RENAME_TO_MISSING_PARENT", (fs, dir) -> strict(fs, dir, "file", "nothing/new")),
            new HdfsComparison(
                    "TRUNCATE_NOTHING", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "nothing"), 1))),
            new HdfsComparison(
                    "TRUNCATE_DIRECTORY", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "full"), 1))),
            new HdfsComparison(
                    "TRUNCATE_BEYOND_END", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "file"), 11))),
            new HdfsComparison(
                    "TRUNCATE_TO_NOTHING", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "file"), 0))),
            new HdfsComparison(
                    "TRUNCATE_NEGATIVE", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "file"), -1))),
            new HdfsComparison("CONCAT_WITHOUT_SOURCES", (fs, dir) -> concat(fs, dir, "file")),
            new HdfsComparison("CONCAT_WITH_ITSELF", (fs, dir) -> concat(fs, dir, "file", "file")),
            new HdfsComparison("CONCAT_TWICE_THE_SAME", (fs, dir) -> concat(fs, dir, "file", "other", "other")),
            new HdfsComparison("CONCAT_FROM_ANOTHER_DIRECTORY", (fs, dir) -> concat(fs, dir, "file", "full/child")),
            new HdfsComparison("CONCAT_NOTHING", (fs, dir) -> concat(fs, dir, "file", "nothing")),
            new HdfsComparison("CONCAT_TO_NOTHING", (fs, dir) -> concat(fs, dir, "nothing", "file")),
            new HdfsComparison(
                    "SET_PERMISSION_OF_NOTHING",
                    (fs, dir) -> done(() -> fs.setPermission(new Path(dir, "nothing"), mode(0700)))),
            new HdfsComparison(
                    "SET_PERMISSION", (fs, dir) -> done(() -> fs.setPermission(new Path(dir, "file"), mode(0750)))),
            new HdfsComparison(
                    "SET_STICKY", (fs, dir) -> done(() -> fs.setPermission(new Path(dir, "full"), mode(01777)))),
            new HdfsComparison(
                    "SET_STICKY_ON_FILE",
                    (fs, dir) -> done(() -> fs.setPermission(new Path(dir, "file"), mode(01777)))),
            new HdfsComparison(
                    "SET_OWNER", (fs, dir) -> done(() -> fs.setOwner(new Path(dir, "file"), "someone", "some"))),
            new HdfsComparison(
                    "SET_OWNER_OF_NOTHING",
                    (fs, dir) -> done(() -> fs.setOwner(new Path(dir, "nothing"), "someone", null))),
            new HdfsComparison("SET_NO_OWNER", (fs, dir) -> done(() -> fs.setOwner(new Path(dir, "file"), null, null))),
            new HdfsComparison("SET_TIMES", (fs, dir) -> {
                fs.setTimes(new Path(dir, "file"), 1_000, 2_000);
                FileStatus status = fs.getFileStatus(new Path(dir, "file"));
                return status.getModificationTime() + " " + status.getAccessTime();
            }),
            new HdfsComparison("SET_TIMES_OF_DIRECTORY", (fs, dir) -> {
                fs.setTimes(new Path(dir, "full"), 1_000, -1);
                FileStatus status = fs.getFileStatus(new Path(dir, "full"));
                return status.getModificationTime() + " " + status.getAccessTime();
            }),
            new HdfsComparison(
                    "SET_TIMES_OF_NOTHING", (fs, dir) -> done(() -> fs.setTimes(new Path(dir, "nothing"), 1, 1))),
            new HdfsComparison(
                    "SET_REPLICATION",
                    (fs, dir) -> String.valueOf(fs.setReplication(new Path(dir, "file"), (short) 2))),
            new HdfsComparison(
                    "SET_REPLICATION_OF_DIRECTORY",
                    (fs, dir) -> String.valueOf(fs.setReplication(new Path(dir, "full"), (short) 2))),
            new HdfsComparison(
                    "SET_REPLICATION_OF_NOTHING",
                    (fs, dir) -> String.valueOf(fs.setReplication(new Path(dir, "nothing"), (short) 2))),
            new HdfsComparison(
                    "SET_REPLICATION_TO_ZERO",
                    (fs, dir) -> String.valueOf(fs.setReplication(new Path(dir, "file"), (short) 0))),
            new HdfsComparison(
                    "CONTENT_SUMMARY", (fs, dir) -> fs.getContentSummary(dir).toString(true)),
            new HdfsComparison(
                    "CONTENT_SUMMARY_OF_NOTHING",
                    (fs, dir) -> fs.getContentSummary(new Path(dir, "nothing")).toString()),
            new HdfsComparison(
                    "QUOTA_USAGE",
                    (fs, dir) -> String.valueOf(fs.getQuotaUsage(dir).getFileAndDirectoryCount())),
            new HdfsComparison(
                    "LOCATIONS_OF_NOTHING",
                    (fs, dir) -> String.valueOf(fs.getFileBlockLocations(new Path(dir, "nothing"), 0, 1).length)),
            new HdfsComparison(
                    "LOCATIONS_OF_DIRECTORY",
                    (fs, dir) -> String.valueOf(
                            fs.getFileBlockLocations(fs.getFileStatus(new Path(dir, "full")), 0, 1).length)),
            new HdfsComparison(
                    "LOCATIONS_OF_FILE",
                    (fs, dir) -> String.valueOf(fs.getFileBlockLocations(new Path(dir, "file"), 0, 10).length)),
            new HdfsComparison(
                    "LOCATIONS_BEYOND_END",
                    (fs, dir) -> String.valueOf(fs.getFileBlockLocations(new Path(dir, "file"), 10, 10).length)),
            new HdfsComparison(
                    "LOCATIONS_OF_NEGATIVE_RANGE",
                    (fs, dir) -> String.valueOf(fs.getFileBlockLocations(new Path(dir, "file"), -1, 10).length)),
            new HdfsComparison(
                    "CHECKSUM_OF_NOTHING", (fs, dir) -> String.valueOf(fs.getFileChecksum(new Path(dir, "nothing")))),
            new HdfsComparison(
                    "CHECKSUM_OF_DIRECTORY", (fs, dir) -> String.valueOf(fs.getFileChecksum(new Path(dir, "full")))),
            new HdfsComparison(
                    "CHECKSUM_OF_FILE", (fs, dir) -> String.valueOf(fs.getFileChecksum(new Path(dir, "file")))),
            new HdfsComparison(
                    "CHECKSUM_OF_PART", (fs, dir) -> String.valueOf(fs.getFileChecksum(new Path(dir, "file"), 7))),
            new HdfsComparison("CHECKSUM_OF_BLOCKS", (fs, dir) -> {
                write(fs.create(new Path(dir, "long"), true, 512, (short) 1, 1024), 5_000);
                return String.valueOf(fs.getFileChecksum(new Path(dir, "long")));
            }),
            new HdfsComparison(
                    "ACL_OF_NOTHING", (fs, dir) -> String.valueOf(fs.getAclStatus(new Path(dir, "nothing")))),
            new HdfsComparison(
                    "ACL_NONE",
                    (fs, dir) -> String.valueOf(
                            fs.getAclStatus(new Path(dir, "file")).getEntries())),
            new HdfsComparison("ACL_MODIFIED", (fs, dir) -> {
                fs.modifyAclEntries(new Path(dir, "file"), acl("user:someone:rwx,group:some:r--"));
                return told(fs, new Path(dir, "file"));
            }),
            new HdfsComparison(
                    "ACL_DEFAULT_ON_FILE",
                    (fs, dir) ->
                            done(() -> fs.modifyAclEntries(new Path(dir, "file"), acl("default:user:someone:rwx")))),
            new HdfsComparison("ACL_DEFAULT_INHERITED", (fs, dir) -> {
                fs.modifyAclEntries(new Path(dir, "empty"), acl("default:user:someone:rwx"));
                write(fs.create(new Path(dir, "empty/new")));
                fs.mkdirs(new Path(dir, "empty/dir"));
                return told(fs, new Path(dir, "empty"))
                        + told(fs, new Path(dir, "empty/new"))
                        + told(fs, new Path(dir, "empty/dir"));
            }),
            new HdfsComparison(
                    "ACL_SET_INCOMPLETE",
                    (fs, dir) -> done(() -> fs.setAcl(new Path(dir, "file"), acl("user:someone:rwx")))),
            new HdfsComparison("ACL_SET", (fs, dir) -> {
                fs.setAcl(new Path(dir, "file"), acl("user::rwx,user:someone:rw-,group::r--,other::---"));
                return told(fs, new Path(dir, "file"));
            }),
            new HdfsComparison("ACL_ENTRIES_REMOVED", (fs, dir) -> {
                fs.setAcl(new Path(dir, "file"), acl("user::rwx,user:someone:rw-,group::r--,other::---"));
                fs.removeAclEntries(new Path(dir, "file"), AclEntry.parseAclSpec("user:someone", false));
                return told(fs, new Path(dir, "file"));
            }),
            new HdfsComparison("ACL_REMOVED", (fs, dir) -> {
                fs.setAcl(new Path(dir, "file"), acl("user::rwx,user:someone:rw-,group::r--,other::---"));
                fs.removeAcl(new Path(dir, "file"));
                return told(fs, new Path(dir, "file"));
            }),
            new HdfsComparison("XATTR_OF_NOTHING", (fs, dir) -> String.valueOf(fs.getXAttrs(new Path(dir, "nothing")))),
            new HdfsComparison(
                    "XATTR_SET_ON_NOTHING",
                    (fs, dir) -> done(() -> fs.setXAttr(new Path(dir, "nothing"), "user.a", new byte[1]))),
            new HdfsComparison(
                    "XATTR_MISSING", (fs, dir) -> Arrays.toString(fs.getXAttr(new Path(dir, "file"), "user.a"))),
            new HdfsComparison("XATTR_SET", (fs, dir) -> {
                fs.setXAttr(new Path(dir, "file"), "user.a", new byte[] {1, 2});
                fs.setXAttr(new Path(dir, "file"), "USER.b", null);
                return Arrays.toString(fs.getXAttr(new Path(dir, "file"), "user.a"))
                        + Arrays.toString(fs.getXAttr(new Path(dir, "file"), "user.b"))
                        + fs.listXAttrs(new Path(dir, "file")).stream().sorted().toList();
            }),
            new HdfsComparison("XATTR_CREATED_TWICE", (fs, dir) -> {
                fs.setXAttr(new Path(dir, "file"), "user.a", new byte[1], EnumSet.of(XAttrSetFlag.CREATE));
                fs.setXAttr(new Path(dir, "file"), "user.a", new byte[1], EnumSet.of(XAttrSetFlag.CREATE));
                return "set";
            }),
            new HdfsComparison(
                    "XATTR_REPLACED_MISSING",
                    (fs, dir) -> done(() -> fs.setXAttr(
                            new Path(dir, "file"), "user.a", new byte[1], EnumSet.of(XAttrSetFlag.REPLACE)))),
            new HdfsComparison(
                    "XATTR_WITHOUT_FLAG",
                    (fs, dir) -> done(() -> fs.setXAttr(
                            new Path(dir, "file"), "user.a", new byte[1], EnumSet.noneOf(XAttrSetFlag.class)))),
            new HdfsComparison(
                    "XATTR_WITHOUT_NAMESPACE",
                    (fs, dir) -> done(() -> fs.setXAttr(new Path(dir, "file"), "a", new byte[1]))),
            new HdfsComparison(
                    "XATTR_OF_UNKNOWN_NAMESPACE",
                    (fs, dir) -> done(() -> fs.setXAttr(new Path(dir, "file"), "my.a", new byte[1]))),
            new HdfsComparison(
                    "XATTR_OF_SYSTEM",
                    (fs, dir) -> done(() -> fs.setXAttr(new Path(dir, "file"), "system.a", new byte[1]))),
            new HdfsComparison(
                    "XATTR_REMOVED_MISSING", (fs, dir) -> done(() -> fs.removeXAttr(new Path(dir, "file"), "user.a"))),
            new HdfsComparison("XATTRS_WITH_ONE_MISSING", (fs, dir) -> {
                fs.setXAttr(new Path(dir, "file"), "user.a", new byte[1]);
                return String.valueOf(fs.getXAttrs(new Path(dir, "file"), List.of("user.a", "user.b")));
            }),
            new HdfsComparison(
                    "ACCESS_TO_NOTHING", (fs, dir) -> done(() -> fs.access(new Path(dir, "nothing"), FsAction.READ))),
            new HdfsComparison(
                    "ACCESS", (fs, dir) -> done(() -> fs.access(new Path(dir, "file"), FsAction.READ_WRITE))),
            new HdfsComparison(
                    "RECOVER_LEASE_OF_NOTHING",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).recoverLease(new Path(dir, "nothing")))),
            new HdfsComparison(
                    "RECOVER_LEASE_OF_CLOSED_FILE",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).recoverLease(new Path(dir, "file")))),
            new HdfsComparison(
                    "RECOVER_LEASE_OF_DIRECTORY",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).recoverLease(new Path(dir, "full")))),
            new HdfsComparison(
                    "IS_NOTHING_CLOSED",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).isFileClosed(new Path(dir, "nothing")))),
            new HdfsComparison("IS_OPEN_FILE_CLOSED", (fs, dir) -> {
                try (FSDataOutputStream out = fs.create(new Path(dir, "open"))) {
                    out.write(1);
                    return String.valueOf(((LeaseRecoverable) fs).isFileClosed(new Path(dir, "open")));
                }
            }),
            new HdfsComparison("HFLUSHED_BYTES_ARE_READ", (fs, dir) -> {
                try (FSDataOutputStream out = fs.create(new Path(dir, "open"))) {
                    out.write("flushed".getBytes(StandardCharsets.UTF_8));
                    out.hflush();
                    return read(fs, new Path(dir, "open"));
                }
            }),
            new HdfsComparison(
                    "NAME_WITH_COLON",
                    (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir.toUri().getPath() + "/a:b")))),
            new HdfsComparison("NAME_TOO_LONG", (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, "x".repeat(256))))),
            new HdfsComparison(
                    "PATH_OF_ANOTHER_FILE_SYSTEM", (fs, dir) -> String.valueOf(fs.exists(new Path("file:///tmp")))),
            new HdfsComparison(
                    "LINK_STATUS_BELOW_FILE", (fs, dir) -> told(fs.getFileLinkStatus(new Path(dir, "file/child")))),
            new HdfsComparison("APPEND_BELOW_FILE", (fs, dir) -> write(fs.append(new Path(dir, "file/child")))),
            new HdfsComparison(
                    "TRUNCATE_BELOW_FILE", (fs, dir) -> String.valueOf(fs.truncate(new Path(dir, "file/child"), 1))),
            new HdfsComparison(
                    "SET_PERMISSION_BELOW_FILE",
                    (fs, dir) -> done(() -> fs.setPermission(new Path(dir, "file/child"), mode(0700)))),
            new HdfsComparison(
                    "SET_REPLICATION_BELOW_FILE",
                    (fs, dir) -> String.valueOf(fs.setReplication(new Path(dir, "file/child"), (short) 2))),
            new HdfsComparison(
                    "SET_TIMES_BELOW_FILE", (fs, dir) -> done(() -> fs.setTimes(new Path(dir, "file/child"), 1, 1))),
            new HdfsComparison(
                    "CONTENT_SUMMARY_BELOW_FILE",
                    (fs, dir) ->
                            fs.getContentSummary(new Path(dir, "file/child")).toString()),
            new HdfsComparison(
                    "ACL_BELOW_FILE", (fs, dir) -> String.valueOf(fs.getAclStatus(new Path(dir, "file/child")))),
            new HdfsComparison(
                    "XATTR_BELOW_FILE", (fs, dir) -> String.valueOf(fs.getXAttrs(new Path(dir, "file/child")))),
            new HdfsComparison(
                    "CHECKSUM_BELOW_FILE",
                    (fs, dir) -> String.valueOf(fs.getFileChecksum(new Path(dir, "file/child")))),
            new HdfsComparison(
                    "ACCESS_BELOW_FILE",
                    (fs, dir) -> done(() -> fs.access(new Path(dir, "file/child"), FsAction.READ))),
            new HdfsComparison(
                    "RECOVER_LEASE_BELOW_FILE",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).recoverLease(new Path(dir, "file/child")))),
            new HdfsComparison(
                    "IS_CLOSED_BELOW_FILE",
                    (fs, dir) -> String.valueOf(((LeaseRecoverable) fs).isFileClosed(new Path(dir, "file/child")))),
            new HdfsComparison("STRICT_RENAME_FROM_BELOW_FILE", (fs, dir) -> strict(fs, dir, "file/child", "new")),
            new HdfsComparison(
                    "STATUS_OF_LONG_NAME", (fs, dir) -> told(fs.getFileStatus(new Path(dir, "x".repeat(256))))),
            new HdfsComparison("OPEN_LONG_NAME", (fs, dir) -> read(fs, new Path(dir, "x".repeat(256)))),
            new HdfsComparison("CREATE_LONG_NAME", (fs, dir) -> write(fs.create(new Path(dir, "x".repeat(256))))),
            new HdfsComparison(
                    "DELETE_LONG_NAME", (fs, dir) -> String.valueOf(fs.delete(new Path(dir, "x".repeat(256)), true))),
            new HdfsComparison(
                    "MKDIRS_LONG_PATH",
                    (fs, dir) -> String.valueOf(fs.mkdirs(new Path(dir, ("x".repeat(100) + "/").repeat(90))))));

    /** What is done in a directory, and what it answers. */
    interface Action {
        String on(FileSystem fs, Path directory) throws Exception;
    }

    private interface Change {
        void run() throws IOException;
    }

    /**
     * What came of it.
     *
     * @param result what was returned; empty where something was thrown
     * @param thrown what it can be caught as; null where nothing was
     * @param left the directory afterwards
     */
    record Outcome(String result, @Nullable Class<?> thrown, String left) {
        /**
         * Whether a program that is right with {@code other} is right with this; it may throw something more special.
         */
        boolean isAsGoodAs(Outcome other) {
            boolean sameFailure = (thrown == null || other.thrown == null)
                    ? thrown == other.thrown
                    : other.thrown.isAssignableFrom(thrown);
            return sameFailure && result.equals(other.result) && left.equals(other.left);
        }
    }

    /** Does it in a directory of its own. */
    Outcome on(FileSystem fs) throws IOException {
        Path directory = new Path("/comparison/" + name);
        fs.mkdirs(new Path(directory, "empty"));
        write(fs.create(new Path(directory, "file")), 10);
        write(fs.create(new Path(directory, "other")), 5);
        write(fs.create(new Path(directory, "full/child")), 3);
        try {
            return new Outcome(action.on(fs, fs.makeQualified(directory)), null, tree(fs, directory));
        } catch (Exception e) {
            return new Outcome("", HdfsExceptions.caughtAs(e), tree(fs, directory));
        }
    }

    private static String tree(FileSystem fs, Path directory) throws IOException {
        StringBuilder tree = new StringBuilder();
        for (FileStatus status : fs.listStatus(directory)) {
            tree.append(told(status)).append('\n');
            if (status.isDirectory()) {
                tree.append(tree(fs, status.getPath()));
            }
        }
        return tree.toString();
    }

    /** All of a status but times and the address. */
    private static String told(FileStatus status) {
        return status.getPath().toUri().getPath() + " " + (status.isDirectory() ? "d" : "-") + status.getPermission()
                + (status.hasAcl() ? "+" : "") + " " + status.getOwner() + ":" + status.getGroup() + " "
                + status.getLen() + " x" + status.getReplication() + " " + (status.getAccessTime() == 0);
    }

    private static String told(FileStatus[] statuses) {
        return Stream.of(statuses).map(HdfsComparison::told).collect(Collectors.joining("\n"));
    }

    private static String told(RemoteIterator<? extends FileStatus> statuses) throws IOException {
        StringBuilder told = new StringBuilder();
        while (statuses.hasNext()) {
            told.append(told(statuses.next())).append('\n');
        }
        return told.toString();
    }

    private static String told(FileSystem fs, Path path) throws IOException {
        return told(fs.getFileStatus(path)) + fs.getAclStatus(path);
    }

    private static String read(FileSystem fs, Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String write(FSDataOutputStream out) throws IOException {
        return write(out, 4);
    }

    private static String write(FSDataOutputStream out, int bytes) throws IOException {
        try (out) {
            long before = out.getPos();
            out.write("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
            return "written at " + before;
        }
    }

    private static FSDataOutputStream flagged(FileSystem fs, Path path, EnumSet<CreateFlag> flags) throws IOException {
        return fs.create(path, FsPermission.getFileDefault(), flags, 512, (short) 1, 1024, null, null);
    }

    private static String rename(FileSystem fs, Path directory, String from, String to) throws IOException {
        return String.valueOf(fs.rename(new Path(directory, from), new Path(directory, to)));
    }

    /** The rename that throws. */
    private static String strict(FileSystem fs, Path directory, String from, String to, Rename... options)
            throws IOException {
        FileContext.getFileContext(fs.getUri(), fs.getConf())
                .rename(new Path(directory, from), new Path(directory, to), options);
        return "renamed";
    }

    private static String concat(FileSystem fs, Path directory, String target, String... sources) throws IOException {
        fs.concat(
                new Path(directory, target),
                Stream.of(sources).map(name -> new Path(directory, name)).toArray(Path[]::new));
        return "joined";
    }

    private static String done(Change change) throws IOException {
        change.run();
        return "done";
    }

    private static FsPermission mode(int bits) {
        return new FsPermission((short) bits);
    }

    private static List<AclEntry> acl(String text) {
        return AclEntry.parseAclSpec(text, true);
    }

    @Override
    public String toString() {
        return name;
    }
}
