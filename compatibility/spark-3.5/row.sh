# The jar comes by --jars, where no file system is found by itself, and then on the class path, where it is.
row() {
  prepare spark-3.5
  spark() {
    bounded 300 java -Xmx1g "${opens[@]}" -Dspark.hadoop.fs.AbstractFileSystem.tatami.impl=io.tatami.hadoop.TatamiFs \
      -Dspark.sql.shuffle.partitions=4 -Dspark.ui.enabled=false -cp "$classpath$1" org.apache.spark.deploy.SparkSubmit \
      --master 'local[2]' --class SparkProgram --conf spark.local.dir="$work/local" "${@:2}"
  }
  "$home/bin/tatami" fs -mkdir -p /events
  spark "" --jars "$plugin" --conf spark.hadoop.fs.tatami.impl=io.tatami.hadoop.TatamiFileSystem \
    --conf spark.eventLog.enabled=true --conf spark.eventLog.dir="$uri/events" "$program.jar" "$uri/jars"
  spark ":$plugin" "$program.jar" "$uri/classpath"
  "$home/bin/tatami" fs -ls /events | grep -q local- || { echo "there is no event log" >&2; exit 1; }
}
