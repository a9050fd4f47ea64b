package io.tatami.server;

import io.tatami.conf.Settings;

/** The settings of this process: system properties, given as {@code -Dtatami.….=…} in TATAMI_OPTS. */
final class SystemSettings {
    private SystemSettings() {}

    static Settings get() {
        return new Settings(System::getProperty);
    }
}
