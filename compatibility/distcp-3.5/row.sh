row() {
  prepare distcp-3.5
  cd "$work"
  bounded 300 java -Xmx1g "${opens[@]}" -cp "$program:$plugin:$classpath" DistCpProgram "$uri"
}
