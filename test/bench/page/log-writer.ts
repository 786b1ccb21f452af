/** A program with a long log: `node log-writer.js LINES`. Its lines are such as programs write, some in colors, some not in ASCII. */
import { writeSync } from 'node:fs'

const count = Number(process.argv[2])
const AT_ONCE = 5_000
const begin = Date.UTC(2026, 2, 1, 3)
const paths = ['/orders', '/customers/4711', '/invoices?page=3', '/health', '/reports/daily', '/Müller/Straße']

function line(number: number): string {
  const at = new Date(begin + number * 7).toISOString()
  if (number === 3) return `${at} INFO  reading settings from The-Third-Line.toml`
  if (number === count - 1) return `${at} INFO  closing the connection, written by the-last-line-but-one`
  if (number % 1_000 === 0) return `${at} \x1b[31mERROR\x1b[0m upstream answered 503, trying again in ${number % 37} s`
  if (number % 20 === 0) return `${at} \x1b[33mWARN\x1b[0m  slow query: ${number % 977} ms, rows=${number % 89}`
  return `${at} INFO  GET ${paths[number % paths.length]} 200 ${number % 97} ms request=${(number * 2_654_435_761) % 4_294_967_296}`
}

for (let first = 1; first <= count; first += AT_ONCE) {
  const lines = Array.from({ length: Math.min(AT_ONCE, count - first + 1) }, (_, at) => `${line(first + at)}\n`)
  let bytes = Buffer.from(lines.join(''))
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes))
}
