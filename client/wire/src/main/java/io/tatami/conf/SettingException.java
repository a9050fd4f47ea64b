package io.tatami.conf;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import org.jspecify.annotations.Nullable;

/** A setting has a value that it cannot have; the message names the key, the value and what is allowed. */
public final class SettingException extends TatamiException {
    private static final long serialVersionUID = 1L;

    SettingException(Setting<?> setting, String text, @Nullable Throwable cause) {
        super(
                ErrorCode.INVALID_ARGUMENT,
                "setting " + setting.key() + " is \"" + text + "\"; allowed is " + setting.allowed(),
                cause);
    }
}
