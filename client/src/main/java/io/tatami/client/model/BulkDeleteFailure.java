package io.tatami.client.model;

import io.tatami.base.TatamiException;

/** A path of a bulk delete that is still there, and why. */
public record BulkDeleteFailure(TatamiPath path, TatamiException reason) {}
