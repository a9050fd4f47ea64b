# Its argument is the number of pauses.
row() {
  local pauses=${1:-10}
  prepare hbase-2.6
  bounded $((200 + 120 * pauses)) java -Xmx512m "${opens[@]}" -cp "$program:$plugin:$settings:$classpath" HBasePauses \
    "$uri/hbase-pauses" "$settings" "$pauses"
}
