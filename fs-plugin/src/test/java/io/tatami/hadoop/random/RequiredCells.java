package io.tatami.hadoop.random;

import java.util.ArrayList;
import java.util.List;

/** What has to have happened in a run, as "operation outcome". */
final class RequiredCells {
    private static final List<String> ALL_OPERATIONS = List.of(
            "mkdirs",
            "mkdir",
            "delete",
            "deleteAll",
            "rename",
            "renameStrictly",
            "renameOverwriting",
            "symlink",
            "status",
            "linkStatus",
            "linkTarget",
            "list",
            "totals",
            "access",
            "create",
            "createNonRecursive",
            "replace",
            "append",
            "truncate",
            "read",
            "readAt",
            "checksum",
            "concat",
            "setPermission",
            "setOwner",
            "setTimes",
            "setReplication",
            "setAcl",
            "modifyAcl",
            "removeAclEntries",
            "removeDefaultAcl",
            "removeAcl",
            "aclStatus",
            "setXAttr",
            "getXAttr",
            "getXAttrs",
            "removeXAttr");

    static final List<String> ALL = all();

    private RequiredCells() {}

    private static List<String> all() {
        List<String> cells = new ArrayList<>();
        cells.addAll(cells(Outcome.DONE, ALL_OPERATIONS));
        cells.addAll(cells("AccessControlException", ALL_OPERATIONS));
        cells.addAll(cells("false", List.of("delete", "deleteAll", "rename", "setReplication")));
        List<String> finding = new ArrayList<>(ALL_OPERATIONS);
        finding.removeAll(List.of("mkdirs", "delete", "deleteAll", "rename", "create", "replace", "setReplication"));
        cells.addAll(cells("FileNotFoundException", finding));
        cells.addAll(cells(
                "FileAlreadyExistsException",
                List.of("mkdirs", "mkdir", "create", "createNonRecursive", "replace", "append", "renameStrictly")));
        cells.addAll(cells(
                "ParentNotDirectoryException",
                List.of("mkdirs", "mkdir", "create", "createNonRecursive", "rename", "renameStrictly")));
        cells.addAll(cells("PathIsNotEmptyDirectoryException", List.of("delete")));
        cells.addAll(cells("AclException", List.of("setAcl", "modifyAcl", "removeAclEntries")));
        cells.addAll(cells("XAttrNotFoundException", List.of("getXAttr")));
        cells.addAll(cells(
                "IOException",
                List.of(
                        "concat",
                        "truncate",
                        "renameStrictly",
                        "renameOverwriting",
                        "symlink",
                        "linkTarget",
                        "setXAttr",
                        "removeXAttr")));
        return cells;
    }

    private static List<String> cells(String outcome, List<String> operations) {
        return operations.stream().map(operation -> operation + " " + outcome).toList();
    }
}
