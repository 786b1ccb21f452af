/** What does it cost to read among 10,000 definitions: a page, the tags, a search, the metrics? Source: reliability, architecture 6. */
import { type Question, scaled } from '../question.ts'
import { readOften } from '../read-often.ts'

const DEFINITIONS = 10_000

export const definitions: Question = {
  name: 'definitions',
  definitions: (scale) =>
    Object.fromEntries(Array.from({ length: scaled(DEFINITIONS, scale) }, (_, n) => [`dag-${n}`, definition(n)])),
  async ask({ client }, scale) {
    const pages = Math.max(1, Math.ceil(scaled(DEFINITIONS, scale) / 50))
    const first = await client.read('/dags?perPage=50')
    return [
      { figure: 'first GET /dags', unit: 'ms', better: 'less', value: first.ms },
      ...(await readOften(client, 'GET /dags?perPage=50', '/dags?perPage=50')),
      ...(await readOften(client, '... any page of it', (n) => `/dags?perPage=50&page=${1 + (n % pages)}`)),
      ...(await readOften(client, '... by tag', (n) => `/dags?perPage=50&tag=team-${n % 20}`)),
      ...(await readOften(client, '... by name', (n) => `/dags?perPage=50&name=dag-${n}`)),
      ...(await readOften(client, 'GET /dags/tags', '/dags/tags')),
      ...(await readOften(client, 'GET /dags/search, a word', (n) => `/dags/search?q=customer-${n}%20`)),
      ...(await readOften(client, '... an expression', (n) => `/dags/search?q=customer-${n}%5Cb.*done`)),
      ...(await readOften(client, 'GET /metrics', '/metrics'))
    ]
  }
}

/** No two have the same text. */
const definition = (n: number): string => `description: load what customer-${n} has sent
tags: [etl, team-${n % 20}]
schedule: "${n % 60} ${n % 24} * * *"
params: DAY=today
steps:
  - name: extract
    command: echo extract customer-${n} of $DAY
  - name: transform
    command: echo transform
    depends: extract
  - name: load
    command: echo load customer-${n} is done
    depends: transform
`
