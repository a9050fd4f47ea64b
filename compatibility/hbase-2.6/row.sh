row() {
  prepare hbase-2.6
  bounded 550 java -Xmx512m "${opens[@]}" -cp "$program:$plugin:$settings:$classpath" HBaseProgram "$uri/hbase" "$settings"
}
