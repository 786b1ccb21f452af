/**
 * The documentation: the files of `dist/docs-site/`, which the build makes from `docs/` and from the tables of the code. Nothing is read
 * before somebody asks for it, and nothing twice.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import type { Middleware, ParameterizedContext } from 'koa'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { answerFile, isRead, type StaticFile, staticFile } from '../static-file.ts'

const FOLDER = new URL('../../../docs-site/', import.meta.url)
const NOT_FOUND = '404.html'
/** There are three scripts and styles, so asking whether they are the same costs little. */
const CACHE = 'no-cache'

/** Whether this installation has the documentation. */
export const hasDocs = (): Promise<boolean> =>
  stat(new URL('index.html', FOLDER)).then(
    (found) => found.isFile(),
    () => false
  )

// D1533: `/docs` goes with the page, and has no setting of its own
/** Serves `/docs` below the base path. */
export function docsOf({ basePath }: Config): Middleware {
  const home = `${basePath}/docs/`
  let listing: Promise<ReadonlySet<string>> | undefined
  const read = new Map<string, Promise<StaticFile>>()
  const names = () => {
    listing ??= namesIn(FOLDER)
    return listing
  }

  function lead(ctx: ParameterizedContext, target: string): void {
    ctx.redirect(target)
    ctx.body = null
    ctx.status = 302
  }

  async function send(ctx: ParameterizedContext, name: string): Promise<void> {
    const file = read.get(name) ?? readFile(new URL(name, FOLDER)).then((content) => staticFile(name, content))
    read.set(name, file)
    answerFile(ctx, await file, CACHE)
  }

  /** The page for missing addresses: its links are those of a page at the top, and the address that was asked for is anywhere. */
  async function sendNotFound(ctx: ParameterizedContext): Promise<void> {
    const text = await readFile(new URL(NOT_FOUND, FOLDER), 'utf8')
    const moved = text.replace(
      /(href|src|data-root)="\.\//g,
      (_all, attribute) => `${attribute}="${attributeText(home)}`
    )
    answerFile(ctx, await staticFile(NOT_FOUND, Buffer.from(moved)), 'no-store', 404)
  }

  return async (ctx, next) => {
    const { path, method } = ctx
    if (!isRead(method) || !(path === home.slice(0, -1) || path.startsWith(home))) return next()
    const known = await names()
    if (known.size === 0)
      throw new TroupeError('not_found', 'the documentation was not built: `npm run build` makes it')
    if (path === home.slice(0, -1)) return lead(ctx, home)
    // Only what the folder has is ever read, so no path leads out of it.
    const asked = decodeURIComponent(path.slice(home.length))
    const name = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked
    if (known.has(name)) return send(ctx, name)
    // Where somebody has left out the ending.
    if (known.has(`${name}.html`)) return lead(ctx, `${home}${name}.html`)
    if (known.has(`${name}/index.html`)) return lead(ctx, `${home}${name}/`)
    return sendNotFound(ctx)
  }
}

/** Paths of all files below a folder; none if there is no such folder. */
async function namesIn(folder: URL): Promise<ReadonlySet<string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const start = decodeURI(folder.pathname).length
  return new Set(
    found.filter((one) => one.isFile()).map((one) => `${one.parentPath}/${one.name}`.replace('//', '/').slice(start))
  )
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const attributeText = (text: string) => text.replace(/[&<>"]/g, (found) => ENTITIES[found] ?? '')
