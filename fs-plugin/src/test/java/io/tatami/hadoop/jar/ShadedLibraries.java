package io.tatami.hadoop.jar;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

/**
 * Which libraries a shaded jar was made of, found without its build: each relocated class and native library is looked
 * up under its first name on the class path of this test.
 *
 * @param artifacts artifact and version of each library, as its jar is named
 * @param within group and artifact of what those libraries have shaded in themselves
 */
record ShadedLibraries(SortedSet<String> artifacts, SortedSet<String> within) {
    private static final String CLASSES = "io/tatami/shaded/";
    private static final String NATIVES = "META-INF/native/";
    private static final Pattern JAR = Pattern.compile(".*/([a-z-]+)-(\\d[^/-]*)(-linux-[^/]+)?\\.jar");
    private static final Pattern POM = Pattern.compile("META-INF/maven/([^/]+)/([^/]+)/pom\\.properties");

    static ShadedLibraries of(JarFile shaded) throws IOException {
        Map<String, JarFile> sources = new TreeMap<>();
        for (ZipEntry entry : shaded.stream().toList()) {
            String first = firstName(entry.getName());
            if (!first.isEmpty()) {
                URL url = ClassLoader.getSystemResource(first);
                if (url == null) {
                    throw new IOException(entry.getName() + " is in no library: there is no " + first);
                }
                JarFile source = ((JarURLConnection) url.openConnection()).getJarFile();
                sources.put(source.getName(), source);
            }
        }
        SortedSet<String> artifacts = new TreeSet<>();
        SortedSet<String> within = new TreeSet<>();
        for (JarFile source : sources.values()) {
            Matcher name = JAR.matcher(source.getName());
            if (!name.matches()) {
                throw new IOException(source.getName() + " does not name artifact and version");
            }
            artifacts.add(name.group(1) + " " + name.group(2));
            source.stream()
                    .map(entry -> POM.matcher(entry.getName()))
                    .filter(pom -> pom.matches() && !pom.group(2).equals(name.group(1)))
                    .forEach(pom -> within.add(pom.group(1) + ":" + pom.group(2)));
        }
        return new ShadedLibraries(artifacts, within);
    }

    /** Empty for what is ours, and for what only later Java versions load. */
    private static String firstName(String entry) {
        if (entry.startsWith(CLASSES) && entry.endsWith(".class")) {
            return entry.substring(CLASSES.length());
        }
        return entry.startsWith(NATIVES) && entry.endsWith(".so")
                ? entry.replace("libio_tatami_shaded_netty", "libnetty")
                : "";
    }
}
