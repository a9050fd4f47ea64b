package io.tatami.benchmarks.workload.locality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the event log of an application of Spark tells that has one job of one stage: a JSON object on each line.
 *
 * @param application its name, such as {@code app-20260131235959-0001}
 * @param executors that registered
 * @param places of the tasks, those that were repeated included. A task that found its input in its executor's memory
 *     is node-local; one whose input names no host is in none of the three numbers.
 * @param millis from the submission of the job to its completion
 */
record SparkEventLog(String application, int executors, MapPlaces places, long millis) {
    static SparkEventLog read(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        String application = "";
        int executors = 0;
        MapPlaces places = MapPlaces.NONE;
        long submittedMillis = 0;
        long completedMillis = 0;
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = json.readTree(line);
                switch (event.path("Event").asText()) {
                    case "SparkListenerApplicationStart" ->
                        application = event.path("App ID").asText();
                    case "SparkListenerExecutorAdded" -> executors++;
                    case "SparkListenerJobStart" ->
                        submittedMillis = event.path("Submission Time").asLong();
                    case "SparkListenerJobEnd" ->
                        completedMillis = event.path("Completion Time").asLong();
                    case "SparkListenerTaskEnd" ->
                        places = places.plus(
                                place(event.path("Task Info").path("Locality").asText()));
                    default -> {
                        // There are some thirty kinds of events.
                    }
                }
            }
        }
        if (completedMillis == 0) {
            throw new IOException("the event log " + file + " has no end of a job");
        }
        return new SparkEventLog(application, executors, places, completedMillis - submittedMillis);
    }

    /** By the names of Spark's {@code TaskLocality}. */
    private static MapPlaces place(String locality) throws IOException {
        return switch (locality) {
            case "PROCESS_LOCAL", "NODE_LOCAL" -> new MapPlaces(1, 1, 0, 0);
            case "RACK_LOCAL" -> new MapPlaces(1, 0, 1, 0);
            case "ANY" -> new MapPlaces(1, 0, 0, 1);
            case "NO_PREF" -> new MapPlaces(1, 0, 0, 0);
            default -> throw new IOException("there is no locality " + locality + " in Spark 3.5");
        };
    }
}
