package io.tatami.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpServerTest {
    private final ManualClock clock = new ManualClock();
    private final AdminSessions sessions = new AdminSessions(clock, new SecureRandom());
    private final AtomicInteger changes = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final HttpRoutes routes = new HttpRoutes()
            .getAtOnce("/health", Right.NONE, question -> HttpAnswer.text("ok"))
            .get("/open", Right.NONE, question -> HttpAnswer.text("open to all\n"))
            .get("/page", Right.READ, question -> HttpAnswer.text(question.required("name")))
            .get("/refuses", Right.NONE, question -> {
                throw new TatamiException(ErrorCode.NOT_FOUND, "there is no such file");
            })
            .get("/bug", Right.NONE, question -> {
                throw new IllegalStateException("a secret of the server");
            })
            .get("/waits", Right.NONE, question -> {
                await(gate);
                return HttpAnswer.text("waited");
            })
            .post("/change", Right.ADMINISTER, question -> HttpAnswer.text("change " + changes.incrementAndGet()))
            .post("/count", Right.NONE, question -> HttpAnswer.text("change " + changes.incrementAndGet()));
    private final HttpServer server = new HttpServer(routes, new HttpAccess(sessions, Set.of("tatami.example.org")));
    private final HttpClient client = HttpClient.newHttpClient();
    private InetSocketAddress address = InetSocketAddress.createUnresolved("none", 0);

    @BeforeEach
    void listen() throws Exception {
        address = server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() {
        gate.countDown();
        server.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<String> post(String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.noBody());
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    /** The bytes of a connection from a request that no client would send, until the server closes it. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String statusOfHost(String host) throws IOException {
        return raw("GET /open HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                .split("\r\n", 2)[0];
    }

    @Test
    void anAnswerForbidsForeignContentFramesAndGuessesOfItsType() throws Exception {
        HttpResponse<String> answer = get("/open");
        assertEquals(200, answer.statusCode());
        assertEquals("open to all\n", answer.body());
        String policy = answer.headers().firstValue("content-security-policy").orElseThrow();
        assertTrue(policy.contains("default-src 'none'"), policy);
        assertTrue(policy.contains("frame-ancestors 'none'"), policy);
        assertEquals(
                "nosniff", answer.headers().firstValue("x-content-type-options").orElseThrow());
        assertEquals("no-store", answer.headers().firstValue("cache-control").orElseThrow());
    }

    @Test
    void whatIsNotServedIsToldFromWhatIsServedOtherwise() throws Exception {
        assertEquals(404, get("/nowhere").statusCode());
        HttpResponse<String> wrong = get("/change");
        assertEquals(405, wrong.statusCode());
        assertEquals("POST", wrong.headers().firstValue("allow").orElseThrow());
        assertEquals(405, post("/open").statusCode());
        HttpResponse<String> head = send(request("/open").method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertEquals(200, head.statusCode());
        assertEquals("", head.body());
    }

    @Test
    void aRefusalTellsThePersonAndABugTellsNothingOfTheServer() throws Exception {
        assertEquals(404, get("/refuses").statusCode());
        assertEquals("there is no such file\n", get("/refuses").body());
        HttpResponse<String> missing = get("/page");
        assertEquals(400, missing.statusCode());
        assertEquals("/page needs the parameter name\n", missing.body());
        HttpResponse<String> bug = get("/bug");
        assertEquals(500, bug.statusCode());
        assertTrue(!bug.body().contains("secret"), bug.body());
        assertEquals("a b", get("/page?name=a%20b").body());
    }

    @Test
    void onlyTheServersOwnNamesAreAnswered() throws Exception {
        assertEquals("HTTP/1.1 200 OK", statusOfHost("localhost"));
        assertEquals("HTTP/1.1 200 OK", statusOfHost("127.0.0.1:" + address.getPort()));
        assertEquals("HTTP/1.1 200 OK", statusOfHost("[::1]:80"));
        assertEquals("HTTP/1.1 200 OK", statusOfHost("Tatami.Example.org:9481"));
        for (String other : List.of("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "")) {
            assertTrue(statusOfHost(other).startsWith("HTTP/1.1 421"), other);
        }
    }

    @Test
    void nothingIsChangedByAPageOfAnotherSite() throws Exception {
        String own = "http://127.0.0.1:" + address.getPort();
        assertEquals(200, post("/count", "Origin", own).statusCode());
        assertEquals(200, post("/count", "Sec-Fetch-Site", "same-origin").statusCode());
        assertEquals(403, post("/count", "Origin", "http://evil.example").statusCode());
        assertEquals(403, post("/count", "Origin", "null").statusCode());
        assertEquals(403, post("/count", "Sec-Fetch-Site", "cross-site").statusCode());
        assertEquals(403, post("/count", "Sec-Fetch-Site", "same-site").statusCode());
        assertEquals(2, changes.get());
    }

    @Test
    void anAdministratorShowsASessionByCookieOrAsBearer() throws Exception {
        assertEquals(401, post("/change").statusCode());
        assertEquals(401, post("/change", "Authorization", "Bearer wrong").statusCode());
        String session = sessions.begin(sessions.invite("anna")).orElseThrow();
        assertEquals(
                "change 1",
                post("/change", "Authorization", "Bearer " + session).body());
        assertEquals(
                "change 2",
                post("/change", "Cookie", "tatami-session-" + address.getPort() + "=" + session)
                        .body());
        sessions.end(session);
        assertEquals(401, post("/change", "Authorization", "Bearer " + session).statusCode());
        assertEquals(2, changes.get());
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInTheirOrder() throws Exception {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            requests.append("GET /page?name=<").append(i).append("> HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        requests.append("GET /open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        String answers = raw(requests.toString().replace("<", "%3C").replace(">", "%3E"));
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            places.add(answers.indexOf("<" + i + ">"));
        }
        assertEquals(places.stream().sorted().toList(), places, answers);
        assertTrue(places.get(0) >= 0, answers);
        assertTrue(answers.endsWith("open to all\n"), answers);
    }

    @Test
    void whatIsTooLongOrNotHttpIsRefusedAndOthersAreServed() throws Exception {
        String line = raw("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertTrue(line.startsWith("HTTP/1.1 4"), line);
        String header = raw("GET /open HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
        assertTrue(header.startsWith("HTTP/1.1 4"), header);
        String body =
                raw("POST /count HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
                        + "x".repeat(100_000));
        assertTrue(body.startsWith("HTTP/1.1 413"), body);
        String noise = raw("\u0001\u0002 what\r\n\r\n");
        assertTrue(noise.startsWith("HTTP/1.1 400"), noise);
        assertEquals(200, get("/open").statusCode());
        assertEquals(0, changes.get());
    }

    @Test
    void requestsBeyondTheQueueAreToldToComeAgain() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(client.sendAsync(request("/waits").build(), HttpResponse.BodyHandlers.ofString()));
        }
        // Two are answered, and 64 wait.
        CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new)).join();
        gate.countDown();
        int refused = 0;
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            int status = answer.join().statusCode();
            assertTrue(status == 200 || status == 503, () -> "status " + status);
            refused += status == 503 ? 1 : 0;
        }
        assertTrue(refused > 0 && refused <= 34, "refused " + refused);
    }

    @Test
    void beyondTheLimitTheConnectionThatIsSilentForLongestIsClosedAndTheNewOneServed() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HttpServer.CONNECTIONS_MAX + 40; i++) {
                open.add(new Socket(address.getAddress(), address.getPort()));
            }
            int closed = 0;
            for (Socket socket : open.subList(0, 40)) {
                closed += socket.getInputStream().read() == -1 ? 1 : 0;
            }
            assertEquals(40, closed);
            Socket newest = open.get(open.size() - 1);
            newest.getOutputStream()
                    .write("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEquals('H', newest.getInputStream().read());
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void aClientThatTakesNoAnswerGetsNoMoreMade() throws Exception {
        byte[] page = new byte[1 << 20];
        AtomicInteger made = new AtomicInteger();
        HttpRoutes large = new HttpRoutes().get("/large", Right.NONE, question -> {
            made.incrementAndGet();
            return HttpAnswer.of(HttpAnswer.OK, "application/octet-stream", page);
        });
        HttpServer own = new HttpServer(large, new HttpAccess(sessions, Set.of()));
        InetSocketAddress at = own.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
            String requests = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000);
            socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
            // What the sockets' own buffers take is made, and one answer more.
            int before = -1;
            while (before != made.get()) {
                before = made.get();
                Thread.sleep(300);
            }
            assertTrue(before > 0 && before < 40, () -> made + " answers were made");
            socket.getInputStream().skipNBytes(8L << 20);
            while (made.get() == before) {
                Thread.sleep(1);
            }
        } finally {
            own.close();
        }
    }

    @Test
    void healthIsAnsweredWhileAllOthersWait() throws Exception {
        for (int i = 0; i < 80; i++) {
            CompletableFuture<HttpResponse<String>> unused =
                    client.sendAsync(request("/waits").build(), HttpResponse.BodyHandlers.ofString());
        }
        assertEquals("ok", get("/health").body());
    }
}
