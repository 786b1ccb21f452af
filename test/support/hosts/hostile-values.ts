/** Values that JavaScript can throw and answer, and that bite whoever reads them. Each is made when it is asked for. */
import { runInNewContext } from 'node:vm'

export type Hostile = () => unknown

const bite = () => {
  throw new Error('bitten')
}
const biting = (name: PropertyKey, of: object = new Error('x')) => Object.defineProperty(of, name, { get: bite })

const trapped = () =>
  new Proxy(
    {},
    {
      get: bite,
      has: bite,
      ownKeys: bite,
      getPrototypeOf: bite,
      getOwnPropertyDescriptor: bite
    }
  )
function revoked(of: object): unknown {
  const { proxy, revoke } = Proxy.revocable(of, {})
  revoke()
  return proxy
}
function cycle(): object {
  const one: { self?: object } = {}
  one.self = one
  return one
}
function deep(): object {
  let one: object = {}
  for (let level = 0; level < 20_000; level++) one = { one }
  return one
}
class Endless extends Error {
  override get message(): string {
    return this.message
  }
}

export const HOSTILE: Readonly<Record<string, Hostile>> = {
  'revoked proxy': () => revoked({}),
  'revoked function': () => revoked(() => {}),
  'revoked error': () => revoked(new Error('x')),
  'hostile traps': trapped,
  'name bites': () => biting('name'),
  'message bites': () => biting('message'),
  'stack bites': () => biting('stack'),
  'cause bites': () => biting('cause'),
  'code bites': () => biting('code'),
  'then bites': () => biting('then', {}),
  'endless getter': () => new Endless(),
  'prototype bites': () => Object.create(trapped()),
  'toString bites': () => ({ toString: bite, [Symbol.toPrimitive]: bite }),
  'toJSON bites': () => ({ toJSON: bite }),
  'name is a symbol': () => Object.assign(new Error('x'), { name: Symbol('x') }),
  'message is a proxy': () => Object.assign(new Error('x'), { message: revoked({}) }),
  'cause is a proxy': () => new Error('x', { cause: revoked({}) }),
  'another realm': () => runInNewContext('new Error("far")'),
  symbol: () => Symbol('x'),
  bigint: () => 1n,
  function: () => bite,
  'no prototype': () => Object.create(null),
  cycle: cycle,
  deep: deep,
  huge: () => new Error('x'.repeat(300_000)),
  nothing: () => undefined
}
