/** A small client of the artifact service. Source: execution-semantics 10.9.2 `artifacts`. */
import { createHash } from 'node:crypto'

export interface Answer {
  status: number
  body: { [key: string]: string }
}

export interface ArtifactClient {
  call(method: string, message: object | string): Promise<Answer>
  list(filter?: object): Promise<{ [key: string]: string }[]>
  /** Uploads blocks; the last answer. It ends at the first refusal. */
  upload(name: string, blocks: Buffer[], more?: Uploading): Promise<Answer>
  download(name: string): Promise<Response>
}

export interface Uploading {
  /** Of the blocks in the list. */
  order?: readonly number[]
  mimeType?: string
  /** Said at the end in place of what is so. */
  size?: string
  hash?: string
  /** Ids of blocks, in place of those that were sent. */
  list?: readonly string[]
}

/** Begins the script of an action: `call` a method, `store` a text. */
export const ACTION_CALLS = `
const base = process.env.ACTIONS_RESULTS_URL
const authorization = 'Bearer ' + process.env.ACTIONS_RUNTIME_TOKEN
const call = async (method, message) => {
  const url = new URL('/twirp/github.actions.results.api.v1.ArtifactService/' + method, base)
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: JSON.stringify(message) })
  return answer.json()
}
const store = async (name, text) => {
  const { signedUploadUrl } = await call('CreateArtifact', { name })
  await fetch(signedUploadUrl + '&comp=block&blockid=YQ%3D%3D', { method: 'PUT', body: text })
  await fetch(signedUploadUrl + '&comp=blocklist', { method: 'PUT', body: '<BlockList><Latest>YQ==</Latest></BlockList>' })
  return call('FinalizeArtifact', { name, size: String(text.length) })
}
`

const METHODS = '/twirp/github.actions.results.api.v1.ArtifactService/'
const idOf = (index: number) => Buffer.from([0, 0, index]).toString('base64')

export function artifactClient(base: string, token: string): ArtifactClient {
  const call = async (method: string, message: object | string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${base}${METHODS}${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(message)
    })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  return {
    call,
    async list(filter = {}) {
      const { body } = await call('ListArtifacts', { workflow_run_backend_id: 'run', ...filter })
      return body.artifacts as unknown as { [key: string]: string }[]
    },
    async upload(name, blocks, { order = [...blocks.keys()], mimeType, size, hash, list = order.map(idOf) } = {}) {
      const created = await call('CreateArtifact', { name, ...(mimeType ? { mime_type: mimeType } : {}) })
      const address = created.body.signedUploadUrl
      if (address === undefined) return created
      const put = async (query: string, body: Buffer | string): Promise<Answer> => {
        const { status } = await fetch(`${address}&${query}`, { method: 'PUT', body })
        return { status, body: {} }
      }
      for (const [index, block] of blocks.entries()) {
        const answer = await put(`comp=block&blockid=${encodeURIComponent(idOf(index))}`, block)
        if (answer.status !== 201) return answer
      }
      const latest = list.map((id) => `<Latest>${id}</Latest>`).join('')
      const listed = await put('comp=blocklist', `<?xml version="1.0"?><BlockList>${latest}</BlockList>`)
      if (listed.status !== 201) return listed
      const bytes = Buffer.concat(order.flatMap((index) => blocks[index] ?? []))
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      return call('FinalizeArtifact', { name, size: size ?? String(bytes.length), hash: hash ?? digest })
    },
    async download(name) {
      const { body } = await call('GetSignedArtifactURL', { name })
      return fetch(body.signedUrl ?? '')
    }
  }
}
