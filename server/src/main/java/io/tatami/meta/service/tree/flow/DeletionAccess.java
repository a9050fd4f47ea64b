package io.tatami.meta.service.tree.flow;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.DeletePlan;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.Announced;
import io.tatami.meta.service.tree.JudgedSubtrees;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.flow.SubtreeWalk.Directory;
import io.tatami.meta.service.tree.flow.SubtreeWalk.Page;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import java.util.concurrent.CompletableFuture;

/**
 * Whether somebody may delete all that is below a directory, by HDFS's rules: he needs every permission on each
 * directory there that is not empty, and in a sticky one must own it or each of its entries. Asked while the deletion
 * is announced and the subtree is among {@link JudgedSubtrees}, so that nothing is added meanwhile.
 */
final class DeletionAccess {
    private static final int ALL = Access.READ | Access.WRITE | Access.EXECUTE;
    private static final int PAGE_ENTRIES = 1_000;

    private final LeaderTree tree;

    DeletionAccess(LeaderTree tree) {
        this.tree = tree;
    }

    /** A walk that fails with PERMISSION_DENIED at the first directory or entry that stands in the way. */
    SubtreeWalk walk(Caller caller, String path, DeletePlan plan) {
        Child root = Child.newBuilder()
                .setDirectoryId(plan.getPlace().getDirectoryId())
                .setSpread(plan.getPlace().getSpread())
                .setWideningFrom(plan.getPlace().getWideningFrom())
                .setAttributes(plan.getAttributes())
                .build();
        return new SubtreeWalk(tree, new Directory(root, path), page -> check(caller, page));
    }

    private CompletableFuture<Void> check(Caller caller, Page page) {
        Directory directory = page.directory();
        boolean hasFiles = !Announced.isWithoutFiles(directory.child().getWideningFrom(), page.slices());
        if (!hasFiles && page.children().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Attributes attributes = directory.child().getAttributes();
        try {
            Subject subject = Subject.directory(directory.path());
            Access.require(caller, attributes, ALL, subject);
            for (Child child : page.children()) {
                Access.requireSticky(
                        caller,
                        attributes,
                        subject,
                        child.getAttributes(),
                        Subject.directory(directory.below(child).path()));
            }
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        boolean mustOwnFiles =
                (attributes.getMode() & Access.STICKY) != 0 && !caller.user().equals(attributes.getOwner());
        return hasFiles && mustOwnFiles ? checkFiles(caller, directory) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> checkFiles(Caller caller, Directory directory) {
        return tree.term().thenCompose(changes -> {
            Caller service = RequestOrigin.SERVICE.caller();
            SignedHandle handle = tree.parts()
                    .signer()
                    .sign(Handle.newBuilder()
                            .setDirectoryId(directory.child().getDirectoryId())
                            .setVersion(changes.latestVersion().value())
                            .setAttributes(directory.child().getAttributes())
                            .setSpread(directory.child().getSpread())
                            .setWideningFrom(directory.child().getWideningFrom())
                            .setUser(service.user())
                            // No client has it, and a large directory is walked for as long as that takes.
                            .setExpiresMillis(Long.MAX_VALUE)
                            .build());
            CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
            for (var shard : tree.shardsOf(
                    directory.child().getDirectoryId(), directory.child().getSpread())) {
                ListRequest first = ListRequest.newBuilder()
                        .setHandle(handle)
                        .setLimit(PAGE_ENTRIES)
                        .build();
                all = all.thenCompose(before -> checkPage(
                        caller, directory, first, request -> tree.peers().call(shard, MetaMethods.LIST, request)));
            }
            return all;
        });
    }

    /** Asks one shard for a page. */
    @FunctionalInterface
    private interface Lister {
        CompletableFuture<ListReply> list(ListRequest request);
    }

    private CompletableFuture<Void> checkPage(Caller caller, Directory directory, ListRequest request, Lister shard) {
        return shard.list(request).thenCompose(page -> {
            String last = "";
            for (Status entry : page.getStatusList()) {
                last = entry.getName();
                try {
                    if (entry.getKind() != Status.Kind.DIRECTORY) {
                        Access.requireSticky(
                                caller,
                                directory.child().getAttributes(),
                                Subject.directory(directory.path()),
                                entry.getAttributes(),
                                Subject.file(directory.path() + "/" + last));
                    }
                } catch (TatamiException e) {
                    return CompletableFuture.failedFuture(e);
                }
            }
            return page.getMore()
                    ? checkPage(
                            caller,
                            directory,
                            request.toBuilder().setAfter(last).build(),
                            shard)
                    : CompletableFuture.completedFuture(null);
        });
    }
}
