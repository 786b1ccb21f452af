/** Where a server elsewhere is, and what it is shown: `--url` with a token or a password. Source: docs/cli.md, docs/authentication.md. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { tokenForServers } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import type { Arguments, Command } from '../input/command.ts'

const API = '/api/v2'

// D1253: with `--url` a command works on a server elsewhere, over its HTTP API
/**
 * Undefined: the command works on a home.
 * @param cwd against which a file is resolved
 * @throws TroupeError bad_request: the command works on a home only, or its flags contradict each other
 */
export function remoteOf(command: Command, { text }: Pick<Arguments, 'text'>, cwd: string): Remote | undefined {
  const { url, 'token-file': file, home } = text
  if (url === undefined) {
    if (file !== undefined) throw wrong(command, '--token-file is for a server that --url names')
    return undefined
  }
  if (command.elsewhere !== true) throw wrong(command, command.elsewhere)
  if (home !== undefined) throw wrong(command, 'wanted --home or --url, found both')
  let address: URL
  try {
    address = new URL(url)
  } catch {
    throw wrong(command, '--url: wanted an address such as https://troupe.example.org')
  }
  if (!/^https?:$/.test(address.protocol))
    throw wrong(command, `--url: wanted http or https, found ${address.protocol}`)
  const { username, password } = address
  const path = address.pathname.replace(/\/+$/, '').replace(/\/api\/v2$/, '')
  const shown = `${address.origin}${path}`
  const token = file === undefined ? tokenForServers() : tokenIn(command, resolve(cwd, file))
  return {
    url: shown,
    baseUrl: `${shown}${API}`,
    ...(username !== ''
      ? { basic: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }
      : token === undefined
        ? {}
        : { token })
  }
}

function tokenIn(command: Command, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw wrong(command, `--token-file: ${path} cannot be read: ${messageOf(cause)}`)
  }
}

const wrong = ({ name }: Command, found: string) => new TroupeError('bad_request', `${name}: ${found}`)
