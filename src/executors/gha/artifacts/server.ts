/**
 * The artifact service of one action: the GitHub API that `@actions/artifact` uses, protocol version 2. A separate program in one
 * file, because it runs in a container with nothing but Node. Source: execution-semantics 10.9.2 `artifacts`.
 *
 * Its argument is `ServerSettings` as JSON. It prints `ready <port>` on stdout, then a line for each stored artifact.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

export interface ServerSettings {
  /** Existing folder of the artifacts of one run: a folder per name, with one file in it. */
  folder: string
  /** Name of a folder in it for incomplete uploads; created here. */
  staging: string
  /** 0: any free port. */
  port: number
  /** The bearer token of callers. */
  token: string
  /** Limit of all uploads together. */
  limitBytes: number
}

interface Block {
  path: string
  size: number
}

interface Upload {
  name: string
  /** Path of the finished file. */
  file: string
  /** Received blocks that are not assembled yet. */
  blocks: Map<string, Block>
  /** Assembled. */
  whole?: Block & { hash: string }
}

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/'
/** The storage client expects an account and a container in the path. */
const BLOB = '/troupe/artifacts/blob'
/** A name becomes a folder, so it must not be a path, hidden or unprintable. */
const NAME = /^(?!\.)[^\\/:*?"<>|\p{Cc}]+$/u
const NAME_BYTES = 200
const MESSAGE_BYTES = 65_536
const BLOCK_LIST_BYTES = 4 * 1_048_576
/** Greatest number of blocks of one artifact, and of issued addresses. */
const MOST = 50_000

const { folder, staging, port, token, limitBytes } = JSON.parse(process.argv.at(-1) ?? '') as ServerSettings
const unfinished = join(folder, staging)
const uploads = new Map<string, Upload>()
/** Issued addresses, by their `sig`. */
const addresses = new Map<string, Upload | string>()
let usedBytes = 0

type Message = { [key: string]: unknown }

/** A text of a message; the protocol has two spellings of its keys. */
function textIn(message: Message, key: string): string | undefined {
  const value = message[key] ?? message[key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function nameIn(message: Message): string {
  const name = textIn(message, 'name') ?? ''
  if (NAME.test(name) && Buffer.byteLength(name) <= NAME_BYTES) return name
  throw new Refusal(400, 'invalid_argument', `the name of an artifact is a file name, found ${JSON.stringify(name)}`)
}

/** A stable id of a name. */
const idOf = (name: string): string => String(createHash('sha256').update(name).digest().readUIntBE(0, 6))

function addressOf(target: Upload | string, { headers }: IncomingMessage): string {
  if (addresses.size >= MOST) throw new Refusal(400, 'out_of_range', `more than ${MOST} addresses were asked for`)
  const sig = randomUUID()
  addresses.set(sig, target)
  return `http://${headers.host}${BLOB}?sig=${sig}`
}

/** The one file of an artifact. */
async function stored(name: string): Promise<{ path: string; size: number; mtime: Date }> {
  const [file] = await readdir(join(folder, name)).catch(() => [])
  if (file === undefined) throw new Refusal(404, 'not_found', `there is no artifact ${name}`)
  const path = join(folder, name, file)
  const { size, mtime } = await stat(path)
  return { path, size, mtime }
}

/** @param limit in bytes; the request must declare its length */
function lengthOf({ headers }: IncomingMessage, limit: number): number {
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (Number.isNaN(length)) throw new Refusal(411, 'missing_length', 'Content-Length is missing')
  if (length > limit) throw new Refusal(413, 'too_large', `${length} bytes where ${limit} are left`)
  return length
}

const METHODS: Readonly<Record<string, (message: Message, request: IncomingMessage) => object | Promise<object>>> = {
  CreateArtifact(message, request) {
    const name = nameIn(message)
    const zipped = (textIn(message, 'mime_type') ?? 'application/zip') === 'application/zip'
    const upload: Upload = { name, file: zipped ? `${name}.zip` : name, blocks: new Map() }
    const address = addressOf(upload, request)
    uploads.set(name, upload)
    return { ok: true, signedUploadUrl: address }
  },
  async FinalizeArtifact(message) {
    const name = nameIn(message)
    const { whole, file } = uploads.get(name) ?? {}
    if (!whole || file === undefined) throw new Refusal(404, 'not_found', `${name} was not uploaded`)
    const [size = '', hash = whole.hash] = [textIn(message, 'size'), textIn(message, 'hash')]
    if (size !== String(whole.size) || hash !== whole.hash)
      throw new Refusal(
        400,
        'invalid_argument',
        `${name}: ${whole.size} bytes with ${whole.hash} came, not what was sent`
      )
    await rm(join(folder, name), { recursive: true, force: true })
    await mkdir(join(folder, name))
    await rename(whole.path, join(folder, name, file))
    uploads.delete(name)
    console.log(`artifact ${name}: ${size} bytes`)
    return { ok: true, artifactId: idOf(name) }
  },
  async ListArtifacts(message) {
    const [only, id] = [textIn(message, 'name_filter'), textIn(message, 'id_filter')]
    const names = (await readdir(folder)).filter((name) => NAME.test(name)).toSorted()
    const wanted = names.filter((name) => (only ?? name) === name && (id ?? idOf(name)) === idOf(name))
    const artifacts = wanted.map(async (name) => {
      const { size, mtime } = await stored(name)
      return {
        workflowRunBackendId: textIn(message, 'workflow_run_backend_id') ?? '',
        workflowJobRunBackendId: textIn(message, 'workflow_job_run_backend_id') ?? '',
        databaseId: idOf(name),
        name,
        size: String(size),
        createdAt: mtime.toISOString()
      }
    })
    return { artifacts: await Promise.all(artifacts) }
  },
  async GetSignedArtifactURL(message, request) {
    const { path } = await stored(nameIn(message))
    return { signedUrl: addressOf(path, request) }
  },
  async DeleteArtifact(message) {
    const name = nameIn(message)
    await stored(name)
    await rm(join(folder, name), { recursive: true })
    return { ok: true, artifactId: idOf(name) }
  }
}

/** Stores one block of an upload. */
async function take(upload: Upload, id: string, request: IncomingMessage): Promise<void> {
  if (upload.blocks.size >= MOST) throw new Refusal(400, 'BlockCountExceedsLimit', `more than ${MOST} blocks`)
  const block = { path: join(unfinished, randomUUID()), size: lengthOf(request, limitBytes - usedBytes) }
  usedBytes += block.size
  try {
    await pipeline(request, createWriteStream(block.path))
  } catch (error) {
    await drop(block)
    throw error
  }
  const earlier = upload.blocks.get(id)
  upload.blocks.set(id, block)
  if (earlier) await drop(earlier)
}

async function drop({ path, size }: Block): Promise<void> {
  usedBytes -= size
  await rm(path, { force: true })
}

/** Assembles the blocks of an upload in the order of the list. */
async function putTogether(upload: Upload, list: string): Promise<void> {
  const ids = [...list.matchAll(/<(?:Latest|Uncommitted|Committed)>(?<id>[^<]*)</g)].map(
    ({ groups }) => groups?.id ?? ''
  )
  const blocks = ids.flatMap((id) => upload.blocks.get(id) ?? [])
  if (blocks.length !== ids.length || new Set(ids).size !== ids.length)
    throw new Refusal(400, 'InvalidBlockList', 'the list names a block twice, or one that did not come')
  const hash = createHash('sha256')
  const path = join(unfinished, randomUUID())
  const pieces = async function* () {
    for (const block of blocks)
      for await (const piece of createReadStream(block.path)) {
        hash.update(piece)
        yield piece
      }
  }
  await pipeline(pieces, createWriteStream(path))
  const size = blocks.reduce((sum, block) => sum + block.size, 0)
  usedBytes += size
  for (const block of [...upload.blocks.values(), ...(upload.whole ? [upload.whole] : [])]) await drop(block)
  upload.blocks.clear()
  upload.whole = { path, size, hash: `sha256:${hash.digest('hex')}` }
}

async function blob(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
  const target = addresses.get(query.get('sig') ?? '')
  if (target === undefined) throw new Refusal(403, 'AuthenticationFailed', 'the address is not one that was handed out')
  const { method } = request
  const part = query.get('comp')
  if (method === 'GET' && typeof target === 'string') {
    const name = target.slice(target.lastIndexOf('/') + 1)
    const type = name.endsWith('.zip') ? 'application/zip' : 'application/octet-stream'
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`
    const { size } = await stat(target)
    response.writeHead(200, { 'content-type': type, 'content-length': size, 'content-disposition': disposition })
    return pipeline(createReadStream(target), response)
  }
  if (method !== 'PUT' || typeof target === 'string' || (part !== 'block' && part !== 'blocklist'))
    throw new Refusal(400, 'UnsupportedOperation', 'wanted PUT of a block or a block list, or GET of what is stored')
  if (part === 'block') await take(target, query.get('blockid') ?? '', request)
  else {
    lengthOf(request, BLOCK_LIST_BYTES)
    await putTogether(target, await text(request))
  }
  response.writeHead(201, { etag: `"${randomUUID()}"`, 'x-ms-request-id': randomUUID() }).end()
}

const digestOf = (value: string): Buffer => createHash('sha256').update(value).digest()
const wanted = digestOf(`Bearer ${token}`)

async function call(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
  if (!timingSafeEqual(digestOf(request.headers.authorization ?? ''), wanted))
    throw new Refusal(401, 'unauthenticated', 'ACTIONS_RUNTIME_TOKEN is not that of this step')
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (request.method !== 'POST' || !method) throw new Refusal(404, 'bad_route', `there is no method ${name}`)
  lengthOf(request, MESSAGE_BYTES)
  let message: unknown
  try {
    message = JSON.parse(await text(request))
  } catch {
    message = undefined
  }
  if (typeof message !== 'object' || message === null) throw new Refusal(400, 'malformed', 'wanted a JSON object')
  const answer = await method(message as Message, request)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

function targetOf({ url = '' }: IncomingMessage): URL {
  try {
    return new URL(url, 'http://service')
  } catch {
    throw new Refusal(400, 'malformed', `wanted a path, found ${url}`)
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { pathname, searchParams } = targetOf(request)
    if (pathname.startsWith(SERVICE)) await call(request, response, pathname.slice(SERVICE.length))
    else if (pathname === BLOB) await blob(request, response, searchParams)
    else throw new Refusal(404, 'bad_route', `only version 2 of the artifact service is here, not ${pathname}`)
  } catch (error) {
    const { status, code, message } =
      error instanceof Refusal ? error : new Refusal(500, 'internal', (error as Error).message)
    if (status === 500) console.log(`artifact service: ${message}`)
    if (response.headersSent) return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json', 'x-ms-error-code': code })
    response.end(JSON.stringify({ code, msg: message }))
  }
}

await mkdir(unfinished)
const server = createServer((request, response) => void answer(request, response))
server.listen(port, '127.0.0.1', () => console.log(`ready ${(server.address() as AddressInfo).port}`))
