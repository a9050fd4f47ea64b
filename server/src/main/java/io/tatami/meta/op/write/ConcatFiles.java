package io.tatami.meta.op.write;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.ResolvedName;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.Empty;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hangs files of one directory behind another and removes their names, by HDFS's rules: all closed, the sources
 * distinct, not empty, not the target and of no larger block size. Blocks change hands without being copied, at most
 * {@value #BLOCKS_MAX} in one request: that takes some tens of milliseconds, in which the shard decides nothing else.
 *
 * <p>Inline content is joined while the result is small enough to be inline. Otherwise it would have to become a block,
 * which only a writer can do: UNSUPPORTED, whose detail has the first such name; a client that may write the files
 * gives them blocks, which changes nothing of their content, and asks again. UNSUPPORTED without detail where a name or
 * a home is in another shard.
 */
public final class ConcatFiles implements Operation<ShardState, ConcatRequest, Empty> {
    /** Of all sources. */
    public static final int BLOCKS_MAX = 5_000;

    private final HandleCheck handles;
    private final FileLimits limits;

    public ConcatFiles(HandleCheck handles, FileLimits limits) {
        this.handles = handles;
        this.limits = limits;
    }

    private record Named(ResolvedName resolved, EntryRecord entry, HomedFile file) {}

    @Override
    public Empty decide(ShardState state, RequestContext context, ConcatRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        Named target = named(state, context, resolved, Access.WRITE);
        Reopening.requireClosed(target.file(), resolved.name());
        requireDistinct(request);
        List<Named> sources = new ArrayList<>();
        long blocks = 0;
        for (String name : request.getSourceList()) {
            Named source = named(state, context, resolved.sibling(state, name), Access.READ);
            source.resolved().requireSticky(source.entry().getFile().getAttributes());
            resolved.requireWritableDirectory();
            requireFit(source, target);
            sources.add(source);
            blocks += source.file().home().getBlocks();
        }
        requireFewBlocks(blocks);
        ByteString joined = joinInline(target, sources);
        long length = target.file().home().getLength();
        for (Named source : sources) {
            length += source.file().home().getLength();
            moveBlocks(state, source.file(), target.file());
            source.resolved().remove(state, context.nowMillis());
            FileRemoval.unlinkHome(state, source.file().id());
        }
        target.file().setInline(joined);
        target.file().home().setLength(length);
        target.file().publish(context.nowMillis());
        return Empty.getDefaultInstance();
    }

    private static Named named(ShardState state, RequestContext context, ResolvedName resolved, int access)
            throws TatamiException, UnsettledException {
        EntryRecord entry = resolved.settledFile(state, context, access);
        if (!ResolvedName.isHomeHere(state, entry.getFile())) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "concat: " + resolved.name() + " was renamed from another shard");
        }
        return new Named(resolved, entry, resolved.requireHomed(state, entry));
    }

    private static void requireDistinct(ConcatRequest request) throws TatamiException {
        if (request.getSourceCount() == 0) {
            throw invalid("concat: no source files");
        }
        if (request.getSourceList().contains(request.getName())) {
            throw invalid("concat: the src file " + request.getName() + " is the same with the target file");
        }
        if (new HashSet<>(request.getSourceList()).size() < request.getSourceCount()) {
            throw invalid("concat: at least two of the source files are the same");
        }
    }

    private static void requireFewBlocks(long blocks) throws TatamiException {
        if (blocks > BLOCKS_MAX) {
            throw invalid("concat: the source files have " + blocks + " blocks, at most " + BLOCKS_MAX
                    + " are joined in one call; concat in several calls, with a file of more blocks as the target");
        }
    }

    private static void requireFit(Named source, Named target) throws TatamiException {
        String name = source.resolved().name();
        if (source.entry().getFile().getOpen() || source.file().home().getLength() == 0) {
            throw invalid("concat: source file " + name + " is invalid or empty or underConstruction");
        }
        if (source.file().home().getBlockSize() > target.file().home().getBlockSize()) {
            throw invalid("concat: source file " + name + " has preferred block size "
                    + source.file().home().getBlockSize() + " which is greater than the target file's preferred"
                    + " block size " + target.file().home().getBlockSize());
        }
    }

    /** The joined content where all of it is inline and stays so, null where all of it, if any, is in blocks. */
    private @Nullable ByteString joinInline(Named target, List<Named> sources)
            throws TatamiException, UnsettledException {
        List<Named> all = new ArrayList<>(sources);
        all.add(0, target);
        ByteString joined = ByteString.EMPTY;
        String inlineName = null;
        boolean blocks = false;
        for (Named named : all) {
            ByteString content = named.file().inline();
            if (content != null && !content.isEmpty()) {
                joined = joined.concat(content);
                inlineName = inlineName == null ? named.resolved().name() : inlineName;
            }
            blocks |= named.file().home().getBlocks() > 0;
        }
        if (inlineName != null && (blocks || joined.size() > limits.inlineBytesMax())) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "concat: " + inlineName + " is stored inline and would have to be rewritten to a block",
                    new Detail.StoredInline(inlineName));
        }
        return inlineName == null ? null : joined;
    }

    private static void moveBlocks(ShardState state, HomedFile source, HomedFile target) {
        for (int index = 0; index < source.home().getBlocks(); index++) {
            BlockRecord block = source.requireBlock(index);
            state.removeBlock(source.id(), index, new BlockId(block.getBlockId()));
            target.adoptBlock(block);
            if (source.home().getReplication() != target.home().getReplication()) {
                state.needs()
                        .look(
                                new BlockId(block.getBlockId()),
                                target.id(),
                                target.home().getBlocks() - 1);
            }
        }
    }

    private static TatamiException invalid(String message) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
