/** A real server with the settings that a page shows, and requests as its clients send them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { type RunningServer, runningServer } from '../cli/program.ts'
import { temporaryFolder } from '../homes.ts'
import { placed } from './page-blocks.ts'

export interface With {
  /** Variables of the server. */
  environment?: Record<string, string>
  /** Texts of definitions by file name, without its extension. */
  definitions?: Record<string, string>
  /** Where they are; default: `dags`. */
  dags?: string
  /** Other files of the home by name. */
  files?: Record<string, string>
  /** What the page has, and what it is here: addresses. */
  replaced?: readonly (readonly [string, string])[]
  /** Default: any free port. */
  argv?: string[]
}
export interface Asking {
  /** Default: GET, or POST where there is a body. */
  method?: string
  body?: unknown
  headers?: Record<string, string>
  /** Of `Authorization: Bearer`. */
  token?: string
  /** Address of the client; all of 127.0.0.0/8 is this machine. */
  from?: string
  /** Port of another server, such as a proxy before this one. */
  port?: number
}
export interface Told {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  json: any
}
export interface SetServer extends RunningServer {
  /** @param path a whole one */
  ask(path: string, asking?: Asking): Promise<Told>
  status(path: string, asking?: Asking): Promise<number>
}

/** Starts it in a new home; the block is its config.yaml. */
async function serverWith(
  block: string,
  { environment = {}, definitions = {}, dags = 'dags', files = {}, replaced = [], argv }: With = {}
): Promise<SetServer> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, dags), { recursive: true })
  for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, dags, `${name}.yaml`), text)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 })
  const file = placed(block, replaced)
  const server = await runningServer(environment, argv ? { folder, file, argv } : { folder, file })
  const own = Number(new URL(server.address).port)
  const ask = (path: string, asking: Asking = {}) => asked(own, path, asking)
  return { ...server, ask, status: async (path, asking) => (await ask(path, asking)).status }
}

/** The same for as long as `work` takes. */
export async function during<T>(block: string, around: With, work: (server: SetServer) => Promise<T>): Promise<T> {
  const server = await serverWith(block, around)
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}

/** Sends exactly what it is given: `fetch` would write its own Host. */
const asked = (own: number, path: string, { method, body, headers = {}, token, from, port = own }: Asking) =>
  new Promise<Told>((resolve, reject) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: method ?? (bytes === undefined ? 'GET' : 'POST'),
        ...(from === undefined ? {} : { localAddress: from }),
        headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers }
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json') && text !== ''
          const { statusCode: status = 0, headers: answered } = response
          resolve({ status, headers: answered, text, json: isJson ? JSON.parse(text) : undefined })
        })
      }
    )
    sent.on('error', reject)
    sent.end(bytes)
  })
