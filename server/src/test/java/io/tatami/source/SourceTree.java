package io.tatami.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The top-level classes below a directory and which of them each uses, by the words of its source. Used by one thread.
 */
public final class SourceTree {
    private static final Pattern NO_CODE =
            Pattern.compile("/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"", Pattern.DOTALL);
    private static final Pattern PACKAGE = Pattern.compile("\\bpackage\\s+([\\w.]+)\\s*;");
    private static final Pattern IMPORT = Pattern.compile("\\bimport\\s+(?:static\\s+)?([\\w.]+)\\s*;");
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*\\b");

    /** By full name, without comments and strings. */
    private final Map<String, String> code;

    private final Map<String, Set<String>> uses = new HashMap<>();

    private SourceTree(Map<String, String> code) {
        this.code = code;
    }

    /** @param root of source directories, such as {@code src} */
    public static SourceTree of(Path root) throws IOException {
        Map<String, String> texts = new HashMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                Matcher in = PACKAGE.matcher(text);
                String name = file.getFileName().toString().replace(".java", "");
                if (in.find() && !name.equals("package-info")) {
                    texts.put(in.group(1) + "." + name, text);
                }
            }
        }
        return ofTexts(texts);
    }

    /** @param texts by full name */
    public static SourceTree ofTexts(Map<String, String> texts) {
        Map<String, String> code = new TreeMap<>();
        texts.forEach((name, text) -> code.put(name, NO_CODE.matcher(text).replaceAll(" ")));
        return new SourceTree(code);
    }

    /** Full names, in order. */
    public Set<String> types() {
        return code.keySet();
    }

    /** Its source without comments and strings. */
    public String code(String type) {
        String text = code.get(type);
        if (text == null) {
            throw new IllegalArgumentException("no class " + type);
        }
        return text;
    }

    /** The others of these classes that it imports, or names where they are in its package. */
    public Set<String> uses(String type) {
        return uses.computeIfAbsent(type, this::findUses);
    }

    private Set<String> findUses(String type) {
        Set<String> found = new TreeSet<>();
        String text = code(type);
        Matcher imported = IMPORT.matcher(text);
        while (imported.find()) {
            outermost(imported.group(1)).forEach(found::add);
        }
        String in = type.substring(0, type.lastIndexOf('.') + 1);
        Matcher named = TYPE.matcher(text);
        while (named.find()) {
            if (code.containsKey(in + named.group())) {
                found.add(in + named.group());
            }
        }
        found.remove(type);
        return found;
    }

    /** The class that a name is in or of; none where it is not one of these. */
    private List<String> outermost(String name) {
        for (String at = name; at.indexOf('.') > 0; at = at.substring(0, at.lastIndexOf('.'))) {
            if (code.containsKey(at)) {
                return List.of(at);
            }
        }
        return List.of();
    }
}
