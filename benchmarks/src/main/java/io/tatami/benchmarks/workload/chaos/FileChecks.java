package io.tatami.benchmarks.workload.chaos;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;

/** Compares files with what was promised. What contradicts it goes to the report; what fails is thrown. */
final class FileChecks {
    private static final int CHUNK_BYTES = 256 << 10;

    private final FileSystem fs;
    private final ClientReport report;

    FileChecks(FileSystem fs, ClientReport report) {
        this.fs = fs;
        this.report = report;
    }

    /** Reads up to {@code length} bytes from {@code position} on, none behind what is promised. */
    void read(PromisedFile file, long position, long length) throws IOException {
        long end = Math.min(file.promised, position + length);
        byte[] bytes = new byte[CHUNK_BYTES];
        try (FSDataInputStream in = fs.open(new Path(file.place()))) {
            in.seek(position);
            for (long at = position; at < end; ) {
                int wanted = (int) Math.min(bytes.length, end - at);
                in.readFully(bytes, 0, wanted);
                compare(file, at, bytes, wanted);
                at += wanted;
            }
        } catch (EOFException e) {
            report.violation(file.place() + " ends before the promised " + file.promised + ": " + e);
        } catch (FileNotFoundException e) {
            report.violation(file.place() + " is not there: " + e);
        }
    }

    /** Reads all of a file, also what is behind the promised bytes. */
    void readAll(PromisedFile file) throws IOException {
        byte[] bytes = new byte[CHUNK_BYTES];
        long at = 0;
        try (FSDataInputStream in = fs.open(new Path(file.place()))) {
            for (int got = in.read(bytes); got >= 0; got = in.read(bytes)) {
                compare(file, at, bytes, got);
                at += got;
            }
        } catch (FileNotFoundException e) {
            report.violation(file.place() + " is not there: " + e);
            return;
        }
        checkLength(file, at);
    }

    private void compare(PromisedFile file, long at, byte[] bytes, int length) {
        int different = SeededContent.firstDifference(file.id, at, bytes, length);
        if (different >= 0) {
            report.violation("file " + file.id + " at " + file.place() + ", " + file.promised
                    + " bytes promised, has something else at " + (at + different) + ": "
                    + SeededContent.origin(bytes, length, different, at));
        }
        report.read(length);
    }

    /** Whether a length is one that the file may have. */
    boolean checkLength(PromisedFile file, long length) {
        if (length >= file.promised && length <= file.attempted) {
            return true;
        }
        report.violation("file " + file.id + " at " + file.place() + " has " + length + " bytes; promised are "
                + file.promised + ", written were at most " + file.attempted);
        return false;
    }

    /** The place of a file, of which there must be one, or none where that may be. */
    Optional<String> find(PromisedFile file) throws IOException {
        List<String> found = new ArrayList<>();
        for (String place : file.allPlaces()) {
            if (fs.exists(new Path(place))) {
                found.add(place);
            }
        }
        if (found.size() > 1 || (found.isEmpty() && !file.mayBeAbsent)) {
            report.violation("file " + file.id + " is at " + found + "; it may be at one of " + file.places);
        }
        return found.stream().findFirst();
    }

    /** Ends the writing of a file whose writer is gone; its length then, or nothing where that takes longer. */
    Optional<Long> recover(String place) throws IOException {
        Path path = new Path(place);
        if (!((LeaseRecoverable) fs).recoverLease(path)) {
            return Optional.empty();
        }
        return Optional.of(fs.getFileStatus(path).getLen());
    }

    /** Compares a directory with a book. */
    void list(String directory, PromiseBook book) throws IOException {
        TreeSet<String> listed = new TreeSet<>();
        for (FileStatus status : fs.listStatus(new Path(directory))) {
            String path = status.getPath().toUri().getPath();
            listed.add(path);
            book.certain().stream()
                    .filter(file -> file.place().equals(path))
                    .forEach(file -> checkLength(file, status.getLen()));
        }
        book.contradictions(listed).forEach(report::violation);
        report.listed();
    }
}
