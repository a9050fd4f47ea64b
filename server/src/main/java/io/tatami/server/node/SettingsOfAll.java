package io.tatami.server.node;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.model.ClientSettings;
import io.tatami.conf.SettingCatalog;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.service.copies.CopySettings;
import io.tatami.meta.service.file.FileSettings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.move.WideningSettings;
import io.tatami.meta.service.tree.TreeSettings;
import io.tatami.meta.store.StoreSettings;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.http.HttpSettings;

/** Everything that can be configured, of clients and servers: what {@code conf/tatami-site.xml} lists. */
public final class SettingsOfAll {
    private SettingsOfAll() {}

    public static SettingCatalog catalog() {
        return new SettingCatalog(
                ClientSettings.ALL,
                RpcSettings.ALL,
                BlockServerSettings.ALL,
                MetadataServer.SETTINGS,
                LocalLog.SETTINGS,
                RaftSettings.ALL,
                StoreSettings.ALL,
                FileSettings.ALL,
                TreeSettings.ALL,
                WideningSettings.ALL,
                CopySettings.ALL,
                HttpSettings.ALL);
    }
}
