row() {
  prepare hive-4.0
  # What Hive asks of Java 17 beside.
  for package in java.util.regex java.time java.text java.lang.ref java.util.concurrent.locks; do
    opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
  done
  opens+=(--add-opens=java.sql/java.sql=ALL-UNNAMED)
  cd "$settings"
  bounded 400 java -Xmx1g "${opens[@]}" -cp "$program:$plugin:$settings:$classpath" HiveProgram "$uri" "$settings"
}
