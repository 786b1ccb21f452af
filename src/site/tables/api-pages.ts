/** The reference of the HTTP API: a page for each subject, made of the contract that the server checks requests with. */
import { type OpenApiDocument, type ResponseObject, responseOf } from '../../api/contract/document/document.ts'
import { type SchemaObject, schemaText } from '../../api/docs/schema-text.ts'
import { type Page, pageOf } from '../page.ts'
import { exampleOf } from './api-example.ts'
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
