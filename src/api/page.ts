/**
 * The web page: the files of `dist/page/`, which the build makes from `src/page/`, as they are. They contain no user data:
 * the page gets everything from the API. Source: architecture 9.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Middleware, ParameterizedContext } from 'koa'
import { type Config, isEnough } from '../config.ts'
import { TroupeError } from '../errors.ts'
import { type Allowed, allowedTo } from './access/allowed.ts'
import { type AccessState, anyone } from './auth/principal.ts'
import { EXAMINE } from './contract/needs.ts'
import { hasDocs } from './docs/site.ts'
import { answerFile, isRead, type StaticFile, staticFile } from './static-file.ts'

const FOLDER = new URL('../../page/', import.meta.url)
const A_YEAR_S = 31_536_000
const VIEW = /^(?:runs|definitions|queues|workers|machines|notifications|access)(?:\/|$)/

export interface Page {
  /** Serves the page behind the access rules; `page/session` says who the visitor is and what they may do, with `?dag=NAME` for it. */
  routes: Middleware
  /**
   * Serves the page before the access rules when there are only tokens: a browser cannot send one with its first request, so
   * it gets the page with status 401, and the page asks for the token.
   */
  signIn: Middleware
}

// D451: the page is at `<basePath>/`, its files below `page/`
export function pageOf(config: Config): Page {
  const { basePath, apiBasePath, auth } = config
  const home = `${basePath}/`
  const values: Record<string, string> = {
    api: basePath + apiBasePath,
    zone: config.tz,
    methods: methodsOf(config.auth).join(' '),
    notify: config.notify.length > 0 ? 'yes' : '',
    signIn: auth.oidc ? `${basePath}/oidc-login` : '',
    signOut: auth.oidc ? `${basePath}/oidc-logout` : ''
  }
  let reading: Promise<Map<string, StaticFile>> | undefined
  const files = () => {
    reading ??= hasDocs().then((has) => readFiles({ ...values, docs: has ? 'docs/' : '' }))
    return reading
  }

  /** @returns whether there is such a file */
  async function send(ctx: ParameterizedContext, name: string, status = 200): Promise<boolean> {
    const file = (await files()).get(name)
    if (!file) return false
    const isHome = name === 'index.html'
    answerFile(ctx, file, isHome ? 'no-cache' : `private, max-age=${A_YEAR_S}, immutable`, status)
    return true
  }

  const fileOf = ({ method, path }: ParameterizedContext): string | undefined => {
    if (!isRead(method)) return undefined
    if (path === home) return 'index.html'
    return path.startsWith(`${home}page/`) ? path.slice(home.length + 'page/'.length) : undefined
  }

  // D1204: guessed addresses of views lead to the page
  /** An address that somebody has guessed, such as `/definitions/deploy`: views of the page are in the fragment. */
  function viewOf({ path, querystring, headers }: ParameterizedContext): string | undefined {
    if (path.startsWith(basePath + apiBasePath) || !/\btext\/html\b/.test(headers.accept ?? '')) return undefined
    const place = path.startsWith(home) ? path.slice(home.length) : ''
    return VIEW.test(place) ? `${home}#/${place}${querystring && `?${querystring}`}` : undefined
  }

  /** The base path without a trailing slash, and addresses of views. */
  function leadsHome(ctx: ParameterizedContext): boolean {
    if (!isRead(ctx.method)) return false
    const target = basePath !== '' && ctx.path === basePath ? home : viewOf(ctx)
    if (target === undefined) return false
    ctx.redirect(target)
    ctx.body = null
    ctx.status = 302
    return true
  }

  return {
    async routes(ctx, next) {
      if (leadsHome(ctx)) return
      if (ctx.path === `${home}page/session` && isRead(ctx.method)) {
        const { principal = anyone }: AccessState = ctx.state
        ctx.set('Cache-Control', 'no-store')
        const dag = new URLSearchParams(ctx.querystring).get('dag') ?? undefined
        const allowed = await allowedTo(ctx, config, dag)
        ctx.body = { name: principal.name, ...allowed, ...(mayAudit(config, allowed) ? { audit: true } : {}) }
        return
      }
      const name = fileOf(ctx)
      if (name === undefined || !(await send(ctx, name))) await next()
      if (name === 'index.html' && ctx.status === 404)
        throw new TroupeError('not_found', 'the web page was not built: `npm run build` makes it')
    },
    async signIn(ctx, next) {
      if (leadsHome(ctx)) return
      const name = fileOf(ctx)
      const isHome = name === 'index.html'
      const isWanted = name !== undefined && ctx.get('Authorization') === ''
      if (!isWanted || (isHome && !/\btext\/html\b/.test(ctx.get('Accept')))) return next()
      if (!(await send(ctx, name, isHome ? 401 : 200))) return next()
      if (isHome) ctx.set('WWW-Authenticate', 'Bearer realm="restricted"')
    }
  }
}

/** Whether there is an audit log that they may look at: what `EXAMINE` needs. */
const mayAudit = ({ audit }: Config, { role, permissions }: Allowed): boolean =>
  audit.enabled && isEnough(role, EXAMINE.role) && EXAMINE.permissions.every((one) => permissions.includes(one))

/** The ways to sign in. */
const methodsOf = ({ basic, tokens, oidc, keys }: Config['auth']): string[] => [
  ...(basic ? ['basic'] : []),
  ...(tokens.length > 0 || keys ? ['token'] : []),
  ...(oidc ? ['oidc'] : [])
]

/** @param values what the server puts into the page */
async function readFiles(values: Record<string, string>): Promise<Map<string, StaticFile>> {
  const names = await readdir(FOLDER).catch(() => [])
  const read = names.map(async (name): Promise<[string, StaticFile]> => {
    const stored = await readFile(new URL(name, FOLDER))
    const content = name === 'index.html' ? filled(stored, values) : stored
    return [name, await staticFile(name, content)]
  })
  return new Map(await Promise.all(read))
}

const filled = (text: Buffer, values: Record<string, string>) =>
  Buffer.from(text.toString().replace(/\{\{(\w+)\}\}/g, (_found, name: string) => escaped(values[name] ?? '')))

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (found) => ENTITIES[found] ?? '')
