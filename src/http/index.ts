/** What a host application imports as `troupe/http`, to have the API and the page of its engine below a path of its own. */
export { fetchHandler, koaMiddleware, nodeHandler } from '../api/mount/handlers.ts'
export type { HostRequest, HttpOptions, Principal } from '../api/mount/options.ts'
