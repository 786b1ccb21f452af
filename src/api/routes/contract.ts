/** `/openapi.json`, `/docs`: what the API says about itself. Source: api-semantics 9.1 S7 (static assets are public). */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { type OpenApiDocument, openApiDocument } from '../contract/document/document.ts'
import { docsPage } from '../docs/page.ts'
import { DOCS_STYLE } from '../docs/style.ts'

// D225: `/openapi.json`, `/docs` and `/docs.css` are public
/** @param base path of the API */
export function contractRoutes(router: Router, engine: Engine, base: string): void {
  let made: Promise<OpenApiDocument> | undefined
  const document = () => {
    made ??= engine.health().then(({ version }) => openApiDocument({ version, base }))
    return made
  }

  router.get('/openapi.json', async (ctx) => {
    ctx.body = await document()
  })

  router.get('/docs', async (ctx) => {
    ctx.type = 'text/html; charset=utf-8'
    ctx.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.body = docsPage(await document())
  })

  router.get('/docs.css', (ctx) => {
    ctx.type = 'text/css; charset=utf-8'
    ctx.body = DOCS_STYLE
  })
}
