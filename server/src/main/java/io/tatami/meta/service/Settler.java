package io.tatami.meta.service;

import io.tatami.meta.op.UnsettledException.Question;
import java.util.concurrent.CompletableFuture;

/**
 * Answers one kind of question that keeps a request from being decided, and commits the answer in this group. The
 * request is decided anew when the future completes; when it fails, the request fails with it.
 */
@FunctionalInterface
public interface Settler<T extends Question> {
    CompletableFuture<Void> settle(T question);
}
