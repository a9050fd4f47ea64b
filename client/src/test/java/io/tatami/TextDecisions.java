package io.tatami;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Finds where source code reads a meaning from a message: a call that looks into a text or takes one apart, whose
 * receiver or argument is the message of a failure, a variable that was made of one, or a parameter that is named as
 * one. Sources are parsed and not compiled, so a variable is known by its name in its method or class.
 */
final class TextDecisions {
    /** Methods that look into a text, or make another value of it. */
    private static final Set<String> LOOKS = Set.of(
            "contains",
            "startsWith",
            "endsWith",
            "indexOf",
            "lastIndexOf",
            "equals",
            "equalsIgnoreCase",
            "contentEquals",
            "compareTo",
            "compareToIgnoreCase",
            "regionMatches",
            "matches",
            "matcher",
            "split",
            "splitAsStream",
            "charAt",
            "decode",
            "parseInt",
            "parseLong",
            "parseUnsignedInt",
            "parseUnsignedLong",
            "parseDouble",
            "parseBoolean");

    /** Methods that give the message of a failure, or the text that was its detail. */
    private static final Set<String> MESSAGES = Set.of("getMessage", "getLocalizedMessage", "getDetail", "detailText");

    /** Names of texts that are given to a method as such. */
    private static final Set<String> MESSAGE_NAMES = Set.of("message", "detail", "reason");

    private TextDecisions() {}

    /** @return what is found: the file, the line and the expression */
    static List<String> in(List<? extends JavaFileObject> sources) throws IOException {
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, problem -> {}, List.of("-proc:none"), null, sources);
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        List<String> found = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            new Finder(unit, positions, found).scan(unit, found);
        }
        return found;
    }

    /** A variable, by the method or class that declares it. */
    private record Declared(Tree scope, String name) {}

    private static final class Finder extends TreePathScanner<Object, Object> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> found;
        private final Set<Declared> messages = new HashSet<>();

        Finder(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
            this.unit = unit;
            this.positions = positions;
            this.found = found;
        }

        @Override
        public Object visitVariable(VariableTree variable, Object none) {
            String name = variable.getName().toString();
            boolean isGiven = variable.getInitializer() == null;
            boolean isMessage = isGiven ? MESSAGE_NAMES.contains(name) : isOfMessage(variable.getInitializer());
            if (isMessage && isText(variable)) {
                messages.add(new Declared(scope(), name));
            }
            return super.visitVariable(variable, none);
        }

        @Override
        public Object visitAssignment(AssignmentTree assignment, Object none) {
            if (assignment.getVariable() instanceof IdentifierTree name && isOfMessage(assignment.getExpression())) {
                messages.add(new Declared(scope(), name.getName().toString()));
            }
            return super.visitAssignment(assignment, none);
        }

        @Override
        public Object visitMethodInvocation(MethodInvocationTree call, Object none) {
            if (LOOKS.contains(nameOf(call)) && isOfMessage(call)) {
                report(call);
            }
            return super.visitMethodInvocation(call, none);
        }

        @Override
        public Object visitSwitch(SwitchTree choice, Object none) {
            reportChoice(choice.getExpression());
            return super.visitSwitch(choice, none);
        }

        @Override
        public Object visitSwitchExpression(SwitchExpressionTree choice, Object none) {
            reportChoice(choice.getExpression());
            return super.visitSwitchExpression(choice, none);
        }

        private void reportChoice(ExpressionTree choice) {
            if (isOfMessage(choice)) {
                report(choice);
            }
        }

        private void report(Tree at) {
            long line = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, at));
            found.add(unit.getSourceFile().getName() + ":" + line + ": " + at);
        }

        /** The method around the present place, or the class where that is a field or an initializer. */
        private Tree scope() {
            TreePath path = getCurrentPath();
            while (!(path.getLeaf() instanceof MethodTree || path.getLeaf() instanceof ClassTree)) {
                path = path.getParentPath();
            }
            return path.getLeaf();
        }

        private boolean isKnown(String name) {
            for (TreePath path = getCurrentPath(); path != null; path = path.getParentPath()) {
                if (messages.contains(new Declared(path.getLeaf(), name))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a message is anywhere in the expression. */
        private boolean isOfMessage(Tree expression) {
            boolean[] has = new boolean[1];
            new TreeScanner<Object, Object>() {
                @Override
                public Object visitMethodInvocation(MethodInvocationTree call, Object none) {
                    has[0] |= MESSAGES.contains(nameOf(call));
                    return super.visitMethodInvocation(call, none);
                }

                @Override
                public Object visitMemberReference(MemberReferenceTree reference, Object none) {
                    has[0] |= MESSAGES.contains(reference.getName().toString());
                    return super.visitMemberReference(reference, none);
                }

                @Override
                public Object visitIdentifier(IdentifierTree identifier, Object none) {
                    has[0] |= isKnown(identifier.getName().toString());
                    return super.visitIdentifier(identifier, none);
                }
            }.scan(expression, found);
            return has[0];
        }

        private static boolean isText(VariableTree variable) {
            Tree type = variable.getType();
            return type == null
                    ? variable.getInitializer() != null
                    : type.toString().endsWith("String");
        }
    }

    private static String nameOf(MethodInvocationTree call) {
        ExpressionTree method = call.getMethodSelect();
        return method instanceof MemberSelectTree member
                ? member.getIdentifier().toString()
                : method.toString();
    }
}
