package io.tatami.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection: its requests are answered one after the other. On the port's event loop. */
final class HttpConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    /** Nothing is loaded from elsewhere, framed, or run that is not a file of ours. */
    private static final String CONTENT_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /** Another question is answered. */
    private static final Set<ErrorCode> OF_THE_QUESTION = EnumSet.of(
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.MALFORMED,
            ErrorCode.NOT_A_DIRECTORY,
            ErrorCode.IS_A_DIRECTORY,
            ErrorCode.PATH_TOO_LONG,
            ErrorCode.UNRESOLVED_LINK);

    private final HttpRoutes routes;
    private final HttpAccess access;
    private final Executor answering;
    private final RequestDeadline deadline;
    private final IdleConnections idle;

    /** What of a request the answer's form depends on. */
    private record Form(boolean keepsAlive, boolean isHead) {}

    HttpConnection(
            HttpRoutes routes, HttpAccess access, Executor answering, RequestDeadline deadline, IdleConnections idle) {
        this.deadline = deadline;
        this.idle = idle;
        this.routes = routes;
        this.access = access;
        this.answering = answering;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        deadline.complete();
        idle.waitsNoMore(ctx.channel());
        // The next one is read when this one's answer has been taken: a client that takes none gets no more made.
        ctx.channel().config().setAutoRead(false);
        Form form =
                new Form(HttpUtil.isKeepAlive(request), request.method().name().equals("HEAD"));
        if (!request.decoderResult().isSuccess()) {
            write(ctx, new Form(false, false), HttpAnswer.text(400, "the request cannot be read\n"));
            return;
        }
        HttpQuestion question;
        try {
            question = HttpQuestion.of(request);
        } catch (TatamiException e) {
            write(ctx, form, refused(e));
            return;
        }
        if (routes.isAnsweredAtOnce(question.path())) {
            write(ctx, form, answer(question));
            return;
        }
        try {
            answering.execute(() -> {
                HttpAnswer answer = answer(question);
                ctx.executor().execute(() -> write(ctx, form, answer));
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("too many requests wait", e);
            write(ctx, form, HttpAnswer.text(503, "too many requests wait; ask again\n"));
        }
    }

    private HttpAnswer answer(HttpQuestion question) {
        try {
            return permitted(question);
        } catch (TatamiException e) {
            return refused(e);
        } catch (RuntimeException | Error e) {
            LOG.error("a bug in answering {} {}", question.method(), question.path(), e);
            return HttpAnswer.text(500, "a bug in Tatami; the server's log has the details\n");
        }
    }

    private HttpAnswer permitted(HttpQuestion question) throws TatamiException {
        Optional<HttpRoutes.Route> route = routes.find(question.method(), question.path());
        Right right = route.map(HttpRoutes.Route::right).orElse(Right.NONE);
        Optional<HttpAccess.Refusal> refusal = access.refusal(right, question);
        if (refusal.isPresent()) {
            HttpAnswer answer =
                    HttpAnswer.text(refusal.get().status(), refusal.get().reason() + "\n");
            return refusal.get().status() == 401 ? answer.withHeader("www-authenticate", "Bearer") : answer;
        }
        if (route.isEmpty()) {
            String methods = String.join(", ", routes.methods(question.path()));
            return methods.isEmpty()
                    ? HttpAnswer.text(404, "nothing is served here\n")
                    : HttpAnswer.text(405, "this is served by " + methods + " alone\n")
                            .withHeader("allow", methods);
        }
        return route.get().handler().answer(question);
    }

    private static HttpAnswer refused(TatamiException refusal) {
        return HttpAnswer.text(status(refusal.code()), refusal.getMessage() + "\n");
    }

    private static int status(ErrorCode code) {
        if (code == ErrorCode.NOT_FOUND) {
            return 404;
        }
        if (OF_THE_QUESTION.contains(code)) {
            return 400;
        }
        if (code == ErrorCode.UNSUPPORTED) {
            return 501;
        }
        if (code == ErrorCode.PERMISSION_DENIED) {
            return 403;
        }
        return code.isRetryable() ? 503 : 500;
    }

    private void awaitNext(ChannelHandlerContext ctx) {
        if (ctx.channel().isActive()) {
            idle.waits(ctx.channel());
        }
        ctx.channel().config().setAutoRead(true);
    }

    private void write(ChannelHandlerContext ctx, Form form, HttpAnswer answer) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                form.isHead() ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(answer.body()));
        HttpHeaders headers = response.headers();
        headers.set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        headers.set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
        headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        headers.set(HttpHeaderNames.CONTENT_SECURITY_POLICY, CONTENT_POLICY);
        headers.set("x-content-type-options", "nosniff");
        headers.set("referrer-policy", "no-referrer");
        answer.headers().forEach(headers::set);
        HttpUtil.setKeepAlive(response, form.keepsAlive());
        ChannelFuture written = ctx.writeAndFlush(response);
        if (form.keepsAlive()) {
            // Not within this: what is decoded already comes at once.
            written.addListener(done -> ctx.executor().execute(() -> awaitNext(ctx)));
        } else {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("closing the connection of {}", ctx.channel().remoteAddress(), cause);
        ChannelFuture unused = ctx.close();
    }
}
