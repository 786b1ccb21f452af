/** The OpenAPI document as an HTML page, made from the document alone, without scripts. */
import {
  type OpenApiDocument,
  type OperationObject,
  type ResponseObject,
  responseOf
} from '../contract/document/document.ts'
import { escaped, type SchemaObject, schemaText } from './schema-text.ts'

interface ParameterObject {
  name: string
  in: string
  required: boolean
  description: string
  schema: SchemaObject
}

// D226: the page of the OpenAPI document is rendered on the server, without scripts
/** @returns HTML; everything that comes from the document is escaped */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, paths, components, servers } = document
  const base = servers[0]?.url ?? ''
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
  const sections = tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name))
  }))

  const row = ({ method, path, operation }: (typeof operations)[number]) => `
<article id="${escaped(operation.operationId)}"${operation.deprecated ? ' class="old"' : ''}>
<h3><span class="method">${method}</span> <code>${escaped(base + path)}</code></h3>
<p>${inline(operation.summary)}.${operation.deprecated ? ' <em>An older way to say it.</em>' : ''} ${inline(operation.description)}</p>
${parameterTable(operation)}${bodyOf(operation)}
<h4>Answers</h4>
<dl>${Object.entries(operation.responses)
    .map(([status, response]) => `<dt>${escaped(status)}</dt><dd>${answerOf(responseOf(document, response))}</dd>`)
    .join('\n')}</dl>
</article>`

  function parameterTable({ parameters }: OperationObject): string {
    const all = parameters.map(resolved)
    if (all.length === 0) return ''
    const rows = all.map(
      ({ name, in: place, required, description, schema }) =>
        `<tr><td><code>${escaped(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${schemaText(schema)}</td><td>${inline(description)}</td></tr>`
    )
    return `<h4>Parameters</h4>\n<table><thead><tr><th>Name</th><th>Where</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>${rows.join('\n')}</tbody></table>`
  }

  /** The document's own parameters have no more than these members. */
  function resolved(parameter: object): ParameterObject {
    const shared =
      '$ref' in parameter ? components.parameters[String(parameter.$ref).split('/').at(-1) ?? ''] : parameter
    return shared as ParameterObject
  }

  const bodyOf = ({ requestBody }: OperationObject): string => {
    if (!requestBody) return ''
    // The document's own bodies are JSON.
    const { required, content } = requestBody as {
      required: boolean
      content: Record<string, { schema: SchemaObject }>
    }
    return `<h4>Body${required ? '' : ' (may be missing)'}</h4>\n${schemaText(content['application/json']?.schema ?? {})}`
  }

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} ${escaped(info.version)}: HTTP API</title>
<link rel="stylesheet" href="${escaped(base)}/docs.css">
</head>
<body>
<header>
<h1>${escaped(info.title)} ${escaped(info.version)}: HTTP API</h1>
<p>${inline(info.description)} For programs: <a href="${escaped(base)}/openapi.json">openapi.json</a>.</p>
</header>
<nav aria-label="Operations">
<ul>${sections
    .map(
      ({ name, operations }) =>
        `<li><a href="#${anchor(name)}">${escaped(name)}</a><ul>${operations
          .map(
            ({ method, path, operation }) =>
              `<li><a href="#${escaped(operation.operationId)}">${method} ${escaped(path)}</a></li>`
          )
          .join('\n')}</ul></li>`
    )
    .join('\n')}
<li><a href="#schemas">Objects</a></li></ul>
</nav>
<main>
${sections
  .map(
    ({ name, description, operations }) =>
      `<section id="${anchor(name)}">\n<h2>${escaped(name)}</h2>\n<p>${inline(description)}</p>${operations.map(row).join('\n')}\n</section>`
  )
  .join('\n')}
<section id="schemas">
<h2>Objects</h2>
${Object.entries(components.schemas)
  .map(
    ([name, schema]) =>
      `<article id="schema-${escaped(name)}">\n<h3>${escaped(name)}</h3>\n${schemaText(schema, { open: true })}\n</article>`
  )
  .join('\n')}
</section>
</main>
</body>
</html>
`
}

const anchor = (name: string) => `tag-${name.toLowerCase().replaceAll(' ', '-')}`

/** Text with \`code\` in it. */
const inline = (text: string) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const answerOf = ({ description, headers, content }: ResponseObject): string => {
  const headerNotes = Object.entries(headers ?? {}).map(([name]) => ` Header <code>${escaped(name)}</code>.`)
  const bodies = Object.entries(content ?? {}).map(
    ([type, { schema }]) =>
      `${type === 'application/json' ? '' : ` <code>${escaped(type)}</code>`} ${'allOf' in schema ? '' : schemaText(schema)}`
  )
  return inline(description) + headerNotes.join('') + (content ? bodies.join('') : ' Empty body.')
}
