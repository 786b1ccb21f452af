/** A request of an operation, as one would type it: with what must be in it and nothing else. */
import type { OpenApiDocument } from '../../api/contract/document/document.ts'
import type { SchemaObject } from '../../api/docs/schema-text.ts'
import { type ApiOperation, bodyOf, parametersOf } from './operations.ts'

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
