/** The reference of the HTTP API: a page for each subject, made of the contract that the server checks requests with. */
import { type OpenApiDocument, type ResponseObject, responseOf } from '../../api/contract/document/document.ts'
import { type SchemaObject, schemaText } from '../../api/docs/schema-text.ts'
import { type Page, pageOf } from '../page.ts'
import { type ApiOperation, bodyOf, operationsOf, parametersOf } from './operations.ts'

const OBJECTS = 'api/objects'

/** @returns pages whose sources are made up: `api/runs.md` */
export function apiPages(document: OpenApiDocument): Page[] {
  const operations = operationsOf(document)
  const pages = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    const stem = `api/${name.toLowerCase().replaceAll(' ', '-')}`
    const text = `# ${name}: HTTP API\n\n${description}\n\n${own.map((one) => chapter(document, one)).join('\n')}`
    return pageOf(`${stem}.md`, `${stem}.html`, text)
  })
  return [...pages, pageOf(`${OBJECTS}.md`, `${OBJECTS}.html`, objectsText(document))]
}

function chapter(document: OpenApiDocument, one: ApiOperation): string {
  const { method, path, operation } = one
  const { summary, description, deprecated, responses } = operation
  const parameters = parametersOf(document, operation)
  const parameterRows = parameters.map(
    ({ name, in: place, required, description: about, schema }) =>
      `| \`${name}\` | ${place}${required ? ', required' : ''} | ${typeText(schema)} | ${inCell(about)} |\n`
  )
  const body = bodyOf(operation)
  const answerRows = Object.entries(responses).map(
    ([status, response]) => `| ${status} | ${answerText(responseOf(document, response))} |\n`
  )
  return `## ${summary}

\`${method} ${document.servers[0]?.url ?? ''}${path}\`${deprecated ? ' (an older way to say it)' : ''}

${description}

\`\`\`sh
${exampleOf(document, one)}
\`\`\`

${parameterRows.length === 0 ? '' : `| Parameter | Where | Type | Meaning |\n| --- | --- | --- | --- |\n${parameterRows.join('')}\n`}${
  body === undefined ? '' : `Body: ${typeText(body)}\n\n`
}| Answer | Meaning |
| --- | --- |
${answerRows.join('')}
`
}

function answerText({ description, headers, content }: ResponseObject): string {
  const noted = Object.keys(headers ?? {}).map((name) => ` Header \`${name}\`.`)
  const bodies = Object.entries(content ?? {}).map(
    ([type, { schema }]) =>
      `${type === 'application/json' ? '' : ` \`${type}\``} ${'allOf' in schema ? '' : typeText(schema)}`
  )
  return inCell(description) + noted.join('') + bodies.join('')
}

const objectsText = ({ components }: OpenApiDocument) =>
  `# Objects: HTTP API\n\nWhat requests and answers are made of.\n\n${Object.entries(components.schemas)
    .map(([name, schema]) => `## ${name}\n\n${typeText(schema, { open: true })}\n`)
    .join('\n')}`

/** HTML in a line of Markdown. */
const typeText = (schema: SchemaObject, options = {}) =>
  inCell(schemaText(schema, options))
    .replaceAll('<table>', '<div class="table scrolls"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/href="#schema-(\w+)"/g, (_all, name: string) => `href="objects.html#${name.toLowerCase()}"`)
const inCell = (text: string) => text.replaceAll('|', '&#124;').replaceAll('\n', ' ')

/** A request of an operation, as one would type it: with what must be in it and nothing else. */
const SERVER = 'http://127.0.0.1:8080'
/** What a path is filled with. */
const IN_PATHS: Record<string, string> = {
  fileName: 'etl',
  name: 'etl',
  dagRunId: 'nightly-7',
  subDAGRunId: 'nightly-7-load',
  machineId: 'run',
  stepName: 'load',
  workerId: 'gpu-1',
  keyName: 'ci',
  targetName: 'ops',
  revision: 'Q2hhbmdlZCBvbiBkaXNrLg'
}
/** What a query or a body must have. */
const VALUES: Record<string, unknown> = {
  q: 'echo',
  text: 'error',
  actor: 'run/etl/nightly-7/node/load',
  event: '{"type":"attempt.ended","exitCode":1}',
  with: 'nightly-6',
  drain: true,
  name: 'hello',
  role: 'runner',
  spec: 'name: hello\nsteps:\n  - echo hello\n',
  newFileName: 'extract',
  suspend: true,
  status: 4
}

export function exampleOf(document: OpenApiDocument, { method, path, operation }: ApiOperation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => IN_PATHS[name] ?? name)
  const query = parametersOf(document, operation)
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name }): [string, string] => [name, String(VALUES[name])])
  const address = `${SERVER}${document.servers[0]?.url ?? ''}${filled}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`
  const body = bodyOf(operation)
  const isQuoted = address.includes('?')
  const way = method === 'GET' ? 'curl -s' : `curl -s -X ${method}`
  return `${way} ${isQuoted ? `'${address}'` : address}${body ? ` \\\n  -H 'Content-Type: application/json' -d '${bodyText(document, body)}'` : ''}`
}

function bodyText(document: OpenApiDocument, body: SchemaObject): string {
  const name = body.$ref?.split('/').at(-1)
  const { required = [] } = name === undefined ? body : (document.components.schemas[name] as SchemaObject)
  return JSON.stringify(Object.fromEntries(required.map((member) => [member, VALUES[member]])))
}
