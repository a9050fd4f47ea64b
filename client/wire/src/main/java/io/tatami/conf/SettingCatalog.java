package io.tatami.conf;

import io.tatami.base.Check;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All settings of a program, by key: what the configuration file is generated from and checked against. Each component
 * lists its own in a constant {@code ALL}; whoever wires the program makes the catalog of them.
 */
public final class SettingCatalog {
    private final SortedMap<String, Setting<?>> byKey = new TreeMap<>();

    /** A key that two components declare is a bug, unless both mean the same constant. */
    @SafeVarargs
    public SettingCatalog(List<? extends Setting<?>>... components) {
        for (List<? extends Setting<?>> component : components) {
            for (Setting<?> setting : component) {
                Setting<?> other = byKey.put(setting.key(), setting);
                Check.check(other == null || other == setting, "setting %s is declared twice", setting.key());
            }
        }
    }

    /** In the order of their keys. */
    public Collection<Setting<?>> settings() {
        return List.copyOf(byKey.values());
    }

    /** Those of {@code keys} that begin with {@code tatami.} and that no component reads: typing errors, mostly. */
    public List<String> unknown(Collection<String> keys) {
        return keys.stream()
                .filter(key -> key.startsWith("tatami.") && !byKey.containsKey(key))
                .sorted()
                .toList();
    }

    /** A configuration file in Hadoop's format that sets everything to its default and says what it means. */
    public String toSiteXml() {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n");
        for (Setting<?> setting : byKey.values()) {
            xml.append("  <property>\n    <name>").append(escape(setting.key())).append("</name>\n");
            xml.append("    <value>").append(escape(setting.defaultText())).append("</value>\n");
            xml.append("    <description>").append(escape(setting.doc()));
            xml.append(" Allowed: ").append(escape(setting.allowed())).append(".</description>\n  </property>\n");
        }
        return xml.append("</configuration>\n").toString();
    }

    /** Every setting in a line of its own, with the value that is in force and whether that is the default. */
    public String valuesIn(Settings settings) {
        StringBuilder text = new StringBuilder();
        for (Setting<?> setting : byKey.values()) {
            boolean isSet = settings.isSet(setting);
            text.append(setting.key()).append('=');
            text.append(isSet ? settings.foreign(setting.key()) : setting.defaultText());
            text.append(isSet ? "" : "   # default").append('\n');
        }
        return text.toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
