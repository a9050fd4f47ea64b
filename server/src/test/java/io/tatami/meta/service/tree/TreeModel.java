package io.tatami.meta.service.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a tree of directories and files must do for the superuser, said as plainly as can be. */
final class TreeModel {
    /** Every path but the root, and whether it is a directory. */
    private final TreeMap<String, Boolean> paths = new TreeMap<>();

    boolean mkdirs(String path) throws TatamiException {
        if (isDirectory(path)) {
            return false;
        }
        if (paths.containsKey(path)) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, path);
        }
        for (String above = parent(path); !above.equals("/"); above = parent(above)) {
            if (Boolean.FALSE.equals(paths.get(above))) {
                throw new TatamiException(ErrorCode.NOT_A_DIRECTORY, above);
            }
        }
        for (String made = path; !made.equals("/"); made = parent(made)) {
            paths.put(made, true);
        }
        return true;
    }

    void create(String path) throws TatamiException {
        if (!isDirectory(parent(path))) {
            throw new TatamiException(ErrorCode.NOT_FOUND, path);
        }
        if (paths.containsKey(path)) {
            throw new TatamiException(isDirectory(path) ? ErrorCode.IS_A_DIRECTORY : ErrorCode.ALREADY_EXISTS, path);
        }
        paths.put(path, false);
    }

    void delete(String path, boolean recursive) throws TatamiException {
        if (!isDirectory(path)) {
            throw new TatamiException(ErrorCode.NOT_FOUND, path);
        }
        if (!recursive && !below(path).isEmpty()) {
            throw new TatamiException(ErrorCode.NOT_EMPTY, path);
        }
        below(path).clear();
        paths.remove(path);
    }

    void rename(String source, String destination, boolean overwrite) throws TatamiException {
        if (!isDirectory(source)) {
            throw new TatamiException(ErrorCode.NOT_FOUND, source);
        }
        if (source.equals(destination)) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, source);
        }
        if (destination.startsWith(source + "/")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, destination);
        }
        if (isDirectory(destination)) {
            if (!overwrite) {
                throw new TatamiException(ErrorCode.ALREADY_EXISTS, destination);
            }
            if (!below(destination).isEmpty()) {
                throw new TatamiException(ErrorCode.NOT_EMPTY, destination);
            }
        } else if (!isDirectory(parent(destination))) {
            boolean file = false;
            for (String above = parent(destination); !above.equals("/"); above = parent(above)) {
                file |= Boolean.FALSE.equals(paths.get(above));
            }
            throw new TatamiException(file ? ErrorCode.NOT_A_DIRECTORY : ErrorCode.NOT_FOUND, destination);
        } else if (paths.containsKey(destination)) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, destination);
        }
        Map<String, Boolean> moved = new TreeMap<>(below(source));
        below(source).clear();
        paths.remove(source);
        paths.put(destination, true);
        moved.forEach((path, directory) -> paths.put(destination + path.substring(source.length()), directory));
    }

    boolean isDirectory(String path) {
        return path.equals("/") || Boolean.TRUE.equals(paths.get(path));
    }

    List<String> directories() {
        List<String> directories = new ArrayList<>();
        paths.forEach((path, directory) -> {
            if (directory) {
                directories.add(path);
            }
        });
        return directories;
    }

    List<String> files() {
        List<String> files = new ArrayList<>(paths.keySet());
        files.removeAll(directories());
        return files;
    }

    private SortedMap<String, Boolean> below(String path) {
        return paths.subMap(path + "/", path + "0");
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash == 0 ? "/" : path.substring(0, slash);
    }
}
