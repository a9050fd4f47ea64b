package io.tatami.server.dump;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one server told of itself. Filled by one thread. */
final class DumpedServer {
    private final String name;
    private final Map<String, ByteString> files = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();

    /** @param name as a path of directories */
    DumpedServer(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** The content of each file by its name in the server's directory. */
    Map<String, ByteString> files() {
        return files;
    }

    /** A line for each thing that the server did not tell, with the reason. */
    List<String> missing() {
        return missing;
    }

    void add(String file, ByteString content) {
        files.put(file, content);
    }

    void lacks(String thing, String reason) {
        missing.add(name + ": " + thing + ": " + reason);
    }
}
