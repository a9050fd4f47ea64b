package io.tatami.hadoop.convert;

/** Which of Hadoop's classes are there: programs bring releases from 3.3.4 on. Safe for use by many threads. */
public final class HadoopClasses {
    private HadoopClasses() {}

    /**
     * Whether Hadoop has a class; it is not initialized.
     *
     * @param name with its package
     */
    public static boolean isPresent(String name) {
        try {
            Class.forName(name, false, HadoopClasses.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
