/** Sources of a params schema: a local file, or the web. Source: execution-semantics 2.3.2, 2.3.5. */
import { resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import { unusable } from '../definition/dag/param-schema.ts'
import { codeOf, messageOf } from '../errors.ts'
import { readNamed } from '../executors/frame/named-file.ts'
import { atHome } from '../platform/at-home.ts'

const MAX_BYTES = 1024 * 1024
const LIMIT_MS = 10_000
const MAX_REDIRECTS = 5
/** A folder counts as missing. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

export const isRemote = (schema: string): boolean => /^https?:\/\//i.test(schema)

/**
 * Text of a local schema: at the path as written, then below each folder. An unreadable place, such as a folder of another user, does not
 * end the search: the engine may have been started anywhere.
 * @throws TroupeError bad_request; it never shows content of the file
 */
export async function localSchema(schema: string, folders: (string | undefined)[]): Promise<string> {
  const places = [undefined, ...folders.filter((folder) => folder !== undefined)]
  const paths = places.map((folder) =>
    folder === undefined ? resolve(atHome(schema)) : resolve(folder, atHome(schema))
  )
  let unread: unknown
  for (const path of new Set(paths))
    try {
      return (await readNamed(path, MAX_BYTES)).toString('utf8')
    } catch (cause) {
      if (!NOTHING_THERE.has(codeOf(cause) ?? '')) unread ??= cause
    }
  if (unread) throw unusable(`the file ${schema} cannot be read (${codeOf(unread) ?? messageOf(unread)})`, unread)
  throw unusable(`there is no file ${schema} in the engine's, the workflow's or the definition's directory`)
}

/** Text of a schema on the web, within 10 s and 1 MiB. @throws TroupeError bad_request, naming no more than the host */
export async function remoteSchema(schema: string, clock: Clock): Promise<string> {
  const late = new AbortController()
  const cancel = clock.after(LIMIT_MS, () => late.abort())
  let host = ''
  try {
    let url = new URL(schema)
    for (let hops = 0; hops <= MAX_REDIRECTS && isRemote(url.href); hops++) {
      host = `from ${url.host}: `
      const response = await fetch(url.href, { redirect: 'manual', signal: late.signal })
      const target = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || target === null) return await bodyOf(response)
      await response.body?.cancel()
      url = new URL(target, url)
    }
    throw new Error('it redirects too often, or elsewhere than to http and https')
  } catch (cause) {
    throw unusable(host + (late.signal.aborted ? `no answer within ${LIMIT_MS / 1_000} s` : reasonOf(cause)), cause)
  } finally {
    cancel()
  }
}

async function bodyOf({ ok, status, body }: Response): Promise<string> {
  if (!ok) {
    await body?.cancel()
    throw new Error(`wanted status 200, found ${status}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`wanted at most ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The reason of a failed `fetch` is in its cause. Its message may show the URL, which may contain a password. */
const reasonOf = (cause: unknown) => {
  if (!(cause instanceof TypeError)) return messageOf(cause)
  return codeOf(cause.cause ?? cause) ?? 'wanted a URL that can be fetched, without a password'
}
