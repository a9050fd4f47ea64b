package io.tatami.server.cli.option;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Finds the word that names the cluster among a command's words, and makes an option of it: a word with a scheme,
 * wherever it stands; else the first one, where the command does not take so many, or takes paths and this is none.
 * Where the command is about paths, the path of a URI takes its place.
 */
public final class ClusterWords implements IParameterPreprocessor {
    /** The option it makes. */
    static final String OPTION = "--uri";

    private static final String SCHEME_END = "://";
    private static final String TATAMI = "tatami" + SCHEME_END;
    private static final String ROOT = "/";

    @Override
    public boolean preprocess(
            Stack<String> words, CommandSpec command, @Nullable ArgSpec argument, Map<String, Object> info) {
        // The next word is the last of the stack.
        List<String> given = new ArrayList<>(words);
        Collections.reverse(given);
        List<String> named = new Words(command).of(given);
        Collections.reverse(named);
        words.clear();
        words.addAll(named);
        return false;
    }

    /** The words of one command line. */
    private static final class Words {
        private final CommandSpec command;
        private final List<String> all = new ArrayList<>();
        private @Nullable String cluster;
        private int others;
        private boolean hasRoot;

        Words(CommandSpec command) {
            this.command = command;
        }

        List<String> of(List<String> given) {
            List<String> words = words(given);
            boolean isNamed = words.stream().anyMatch(Words::hasScheme)
                    || given.stream().anyMatch(word -> word.equals(OPTION) || word.startsWith(OPTION + "="));
            // An address without a scheme, as host:port.
            String first = isNamed || words.isEmpty() || !isBeforeOthers(words) ? null : words.get(0);
            for (int i = 0; i < given.size(); i++) {
                String word = given.get(i);
                boolean isOption = isOption(word);
                if (word.equals("--")) {
                    others += given.size() - i - 1;
                    all.addAll(given.subList(i, given.size()));
                    break;
                }
                if (!isOption && (hasScheme(word) || (cluster == null && word.equals(first)))) {
                    name(word);
                    continue;
                }
                all.add(word);
                if (isOption && takesNext(word) && i + 1 < given.size()) {
                    all.add(given.get(++i));
                } else if (!isOption) {
                    others++;
                }
            }
            if (hasRoot && others == 0) {
                all.add(ROOT);
            }
            return all;
        }

        /** Whether an option's value is the next word. */
        private boolean takesNext(String word) {
            OptionSpec option = command.optionsMap().get(word);
            return option != null && option.arity().min() > 0;
        }

        /** Those that are neither options nor their values. */
        private List<String> words(List<String> given) {
            List<String> words = new ArrayList<>();
            for (int i = 0; i < given.size() && !given.get(i).equals("--"); i++) {
                String word = given.get(i);
                if (!isOption(word)) {
                    words.add(word);
                } else if (takesNext(word)) {
                    i++;
                }
            }
            return words;
        }

        private static boolean isOption(String word) {
            return word.length() > 1 && word.startsWith("-");
        }

        private static boolean hasScheme(String word) {
            return word.contains(SCHEME_END) && !word.startsWith(ROOT);
        }

        /** Whether the first word, none of which has a scheme, is the cluster. */
        private boolean isBeforeOthers(List<String> words) {
            boolean takesMany = command.positionalParameters().stream()
                    .anyMatch(parameter ->
                            parameter.index().isVariable() || parameter.arity().isVariable());
            return (!takesMany && words.size() > command.positionalParameters().size())
                    || (command.userObject() instanceof OnPaths paths
                            && !paths.takesOtherWords()
                            && !words.get(0).startsWith(ROOT));
        }

        private void name(String word) {
            int slash = word.startsWith(TATAMI) ? word.indexOf('/', TATAMI.length()) : -1;
            String authority = slash < 0 ? word : word.substring(0, slash);
            if (cluster == null) {
                cluster = authority;
                all.add(OPTION + "=" + authority);
            } else if (!cluster.equals(authority)) {
                throw new ParameterException(
                        command.commandLine(), "two clusters are named, " + cluster + " and " + authority);
            }
            String path = slash < 0 ? "" : word.substring(slash);
            if (path.isEmpty() || !(command.userObject() instanceof OnPaths)) {
                return;
            }
            if (path.equals(ROOT)) {
                // Most who write the slash mean the cluster; the root only where there is no other path.
                hasRoot = true;
            } else {
                others++;
                all.add(path);
            }
        }
    }
}
