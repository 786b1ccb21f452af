/** The routes that the API has, read from its own routers. */
import Router from '@koa/router'
import { createApp } from '../../../src/api/app.ts'
import { fakeEngine } from '../engine/fake-engine.ts'

export interface Route {
  method: string
  /** Below the base path, with `{name}` for each parameter. */
  path: string
  version: 'v1' | 'v2'
  /** The whole path with a value in each parameter. */
  example: string
}

export function everyRoute(): Route[] {
  const routers = createApp(fakeEngine())
    .middleware.map((layer) => ('router' in layer ? layer.router : undefined))
    .filter((router) => router instanceof Router)
  return routers.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods.map((method): Route => {
        const whole = String(path)
        const [, version = '', rest = ''] = /^\/api\/(v1|v2)(.*)$/.exec(whole) ?? []
        return {
          method,
          version: version === 'v1' ? 'v1' : 'v2',
          path: rest.replace(/:(\w+)/g, '{$1}'),
          // Events would go on forever.
          example: whole.replace(/:\w+/g, 'hello') + (whole.endsWith('/events') ? '?follow=false' : '')
        }
      })
    )
  )
}
