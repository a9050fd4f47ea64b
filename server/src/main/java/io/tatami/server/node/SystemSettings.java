package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import java.io.IOException;
import java.io.InputStream;

/**
 * The settings of this process: system properties, given as {@code -Dtatami.….=…} in TATAMI_OPTS, and what they leave
 * open from {@code tatami-site.xml} on the class path, which is {@code conf/} of the distribution.
 */
public final class SystemSettings {
    private static final String SITE_FILE = "/tatami-site.xml";

    private SystemSettings() {}

    /** @throws TatamiException INVALID_ARGUMENT where the file is not what it should be */
    public static Settings get() throws TatamiException {
        Settings properties = new Settings(System::getProperty);
        try (InputStream site = SystemSettings.class.getResourceAsStream(SITE_FILE)) {
            return site == null ? properties : properties.orElse(SiteFile.read(site, SITE_FILE.substring(1)));
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, SITE_FILE + " cannot be read: " + e.getMessage(), e);
        }
    }
}
