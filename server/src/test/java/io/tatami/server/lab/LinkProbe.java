package io.tatami.server.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A program on a node of a lab that takes connections and datagrams, and tries those of others, told by lines:
 * {@code connect HOST}, {@code send HOST TEXT}, {@code received}. Owned by one thread.
 */
final class LinkProbe implements AutoCloseable {
    private static final int PORT = 7777;
    private static final int CONNECT_MILLIS = 1_000;
    private static final String READY = "ready";

    private final Process process;
    private final BufferedReader replies;
    private final PrintWriter commands;

    LinkProbe(Lab lab, String node) throws IOException {
        process = lab.command(lab.node(node), TestJava.command(LinkProbe.class))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    void awaitReady() throws IOException {
        String line = replies.readLine();
        if (!(READY + " " + PORT).equals(line)) {
            throw new IOException("the probe said " + line);
        }
    }

    /** {@code open}; {@code silent} where nobody answers; else what the system says. */
    String connect(String host) throws IOException {
        return ask("connect " + host);
    }

    void send(String host, String text) throws IOException {
        ask("send " + host + " " + text);
    }

    /** The texts of all datagrams so far. */
    String received() throws IOException {
        return ask("received");
    }

    void awaitReceived(String text) throws IOException, InterruptedException {
        while (!received().contains(text)) {
            Thread.sleep(10);
        }
    }

    private String ask(String line) throws IOException {
        commands.println(line);
        return String.valueOf(replies.readLine());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] none) throws IOException {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        try (ServerSocket connections = new ServerSocket(PORT);
                DatagramSocket datagrams = new DatagramSocket(PORT)) {
            Thread receiver = new Thread(() -> receive(datagrams, received), "receiver");
            receiver.setDaemon(true);
            receiver.start();
            System.out.println(READY + " " + connections.getLocalPort());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println(answer(line.split(" ", -1), datagrams, received));
            }
        }
    }

    private static String answer(String[] words, DatagramSocket datagrams, Queue<String> received) throws IOException {
        switch (words[0]) {
            case "connect":
                return tryConnection(words[1]);
            case "send":
                byte[] text = words[2].getBytes(StandardCharsets.UTF_8);
                datagrams.send(new DatagramPacket(text, text.length, InetAddress.getByName(words[1]), PORT));
                return "sent";
            default:
                return String.join(",", received);
        }
    }

    private static String tryConnection(String host) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, PORT), CONNECT_MILLIS);
            return "open";
        } catch (SocketTimeoutException e) {
            return "silent";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void receive(DatagramSocket datagrams, Queue<String> received) {
        byte[] bytes = new byte[100];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
                datagrams.receive(packet);
                received.add(new String(bytes, 0, packet.getLength(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            System.err.println("the probe ends: " + e);
        }
    }
}
