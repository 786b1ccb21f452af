/** Version 1 as the document would show it: it is deprecated, and not in there. Source: api-semantics 9.4. */
import type { OperationObject } from '../../src/api/contract/document/document.ts'

export type FuzzedOperation = Pick<OperationObject, 'operationId' | 'parameters' | 'requestBody'>

const text = { type: 'string' }
const parameters = (place: 'path' | 'query', schemas: Record<string, object>) =>
  Object.entries(schemas).map(([name, schema]) => ({ name, in: place, schema }))
const body = (properties: Record<string, object>) => ({
  content: { 'application/json': { schema: { type: 'object', properties, required: ['action'] } } }
})
const ACTIONS = ['start', 'suspend', 'stop', 'retry', 'mark-success', 'mark-failed', 'save', 'rename']
const TABS = ['status', 'spec', 'history', 'log', 'scheduler-log']
const file = parameters('path', { fileName: text })

/** By path and method. */
export const VERSION_1: Record<string, Record<string, FuzzedOperation>> = {
  '/health': { get: { operationId: 'v1.health', parameters: [] } },
  '/dags': {
    get: {
      operationId: 'v1.list',
      parameters: parameters('query', {
        page: { type: 'integer' },
        limit: { type: 'integer' },
        searchName: text,
        searchTag: text
      })
    },
    post: {
      operationId: 'v1.create',
      parameters: [],
      requestBody: body({ action: { type: 'string', enum: ['new'] }, value: text })
    }
  },
  '/dags/{fileName}': {
    get: {
      operationId: 'v1.view',
      parameters: [...file, ...parameters('query', { tab: { type: 'string', enum: TABS }, file: text, step: text })]
    },
    post: {
      operationId: 'v1.act',
      parameters: file,
      requestBody: body({
        action: { type: 'string', enum: ACTIONS },
        value: text,
        requestId: text,
        step: text,
        params: text
      })
    },
    delete: { operationId: 'v1.remove', parameters: file }
  },
  '/search': { get: { operationId: 'v1.search', parameters: parameters('query', { q: text }) } },
  '/tags': { get: { operationId: 'v1.tags', parameters: [] } }
}
