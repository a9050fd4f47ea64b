package io.tatami.hadoop.random;

import java.util.TreeMap;
import java.util.function.Supplier;

/** The next operation, by chance; what costs HDFS a block comes seldom. Used by one thread. */
final class Operations {
    private final Draw draw;

    /** By the sum of the weights up to each. */
    private final TreeMap<Integer, Supplier<RandomOperation>> kinds = new TreeMap<>();

    private int weights;

    Operations(Draw draw) {
        this.draw = draw;
        addTree(new TreeOperations(draw));
        addFiles(new FileOperations(draw));
        addAttributes(new AttributeOperations(draw));
    }

    private void addTree(TreeOperations tree) {
        add(110, tree::mkdirs);
        add(20, tree::mkdir);
        add(40, tree::delete);
        add(22, tree::deleteAll);
        add(60, tree::rename);
        add(30, tree::renameStrictly);
        add(40, tree::renameOverwriting);
        add(12, tree::symlink);
        add(80, tree::status);
        add(15, tree::linkStatus);
        add(10, tree::linkTarget);
        add(90, tree::list);
        add(30, tree::totals);
        add(50, tree::access);
    }

    private void addFiles(FileOperations files) {
        add(80, files::create);
        add(20, files::createWithoutParents);
        add(10, files::replace);
        add(8, files::append);
        add(3, files::truncate);
        add(15, files::read);
        add(8, files::readAt);
        add(6, files::checksum);
        add(15, files::concat);
    }

    private void addAttributes(AttributeOperations attributes) {
        add(70, attributes::setPermission);
        add(20, attributes::setOwner);
        add(30, attributes::setTimes);
        add(20, attributes::setReplication);
        add(30, attributes::setAcl);
        add(30, attributes::modifyAcl);
        add(15, attributes::removeAclEntries);
        add(8, attributes::removeDefaultAcl);
        add(8, attributes::removeAcl);
        add(30, attributes::aclStatus);
        add(30, attributes::setXAttr);
        add(20, attributes::getXAttr);
        add(20, attributes::getXAttrs);
        add(12, attributes::removeXAttr);
    }

    private void add(int weight, Supplier<RandomOperation> kind) {
        weights += weight;
        kinds.put(weights, kind);
    }

    RandomOperation next() {
        return kinds.higherEntry(draw.below(weights)).getValue().get();
    }
}
