row() {
  prepare flink-2.3
  HADOOP_CONF_DIR=$settings bounded 300 java -Xmx1g "${opens[@]}" -cp "$program:$plugin:$classpath" FlinkProgram "$uri/flink"
}
