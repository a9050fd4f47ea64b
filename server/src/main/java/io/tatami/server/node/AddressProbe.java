package io.tatami.server.node;

import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether addresses take TCP connections, and why not: a program that does not run, a wrong name or network, and a
 * server that is busy have different remedies. Nothing is sent.
 *
 * @param addresses what was found, in the order of the question
 */
record AddressProbe(List<Found> addresses) {
    /** What came of one attempt to connect. */
    enum State {
        LISTENS("takes connections"),
        REFUSED("the connection is refused: no server listens there"),
        UNKNOWN_HOST("the host's name cannot be resolved"),
        NO_ROUTE("the host cannot be reached"),
        SILENT("the host does not answer");

        private final String text;

        State(String text) {
            this.text = text;
        }
    }

    record Found(InetSocketAddress address, State state) {}

    /**
     * Tries all addresses at once.
     *
     * @param addresses not looked up yet
     * @param bound for all together; an address without an answer by then is SILENT
     * @throws TatamiException CANCELLED where the thread is interrupted
     */
    static AddressProbe of(List<InetSocketAddress> addresses, Duration bound) throws TatamiException {
        List<Found> found = new ArrayList<>();
        for (SideBySide.Answer<InetSocketAddress, State> answer :
                SideBySide.ask(addresses, bound, address -> state(address, bound))) {
            State state = answer.value();
            found.add(new Found(answer.target(), state == null ? State.SILENT : state));
        }
        return new AddressProbe(found);
    }

    private static State state(InetSocketAddress unresolved, Duration bound) {
        InetSocketAddress address = new InetSocketAddress(unresolved.getHostString(), unresolved.getPort());
        if (address.isUnresolved()) {
            return State.UNKNOWN_HOST;
        }
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) Math.max(1, bound.toMillis()));
            return State.LISTENS;
        } catch (SocketTimeoutException e) {
            return State.SILENT;
        } catch (ConnectException e) {
            return State.REFUSED;
        } catch (IOException e) {
            return State.NO_ROUTE;
        }
    }

    boolean any(State state) {
        return addresses.stream().anyMatch(found -> found.state() == state);
    }

    boolean all(State state) {
        return addresses.stream().allMatch(found -> found.state() == state);
    }

    /** Whether waiting may help: a server is there, or its host has not said that it is not. */
    boolean mayAnswer() {
        return any(State.LISTENS) || any(State.SILENT);
    }

    /** What was found, in words: one for all addresses, or each with its own. */
    String text() {
        List<State> states = addresses.stream().map(Found::state).distinct().toList();
        return states.size() == 1
                ? states.get(0).text
                : addresses.stream()
                        .map(found -> found.address().getHostString() + ":"
                                + found.address().getPort() + ": " + found.state().text)
                        .collect(Collectors.joining("; "));
    }
}
