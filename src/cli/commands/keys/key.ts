/** `troupe key create NAME` and `revoke NAME`: makes an API key, or takes it back, in a home or on a server elsewhere. Our addition: docs/cli.md "API keys". */
import type { Role } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { askEngine } from '../../owner/open-client.ts'
import type { OpenClient } from '../../owner/opened.ts'

const OF_CREATE = ['role', 'rule', 'expires']

export const run: CommandModule['run'] = async (args, context) => {
  const wanted = wantedIn(args)
  const [client, written] = await askEngine(
    context,
    settingsOf(args),
    (text) => context.err.write(`${text}\n`),
    (client) => ('key' in wanted ? create(client, wanted.key, args, context) : revoke(client, wanted.name, args))
  )
  // Before anything else may fail: the text of a key is nowhere else.
  context.out.write(written)
  await client.close()
  return 0
}

interface Wanted {
  name: string
  role: Role
  rules: Record<string, unknown>[]
  expires?: string
}

/** The key alone is the result, so that a script can take it. */
async function create(client: OpenClient, wanted: Wanted, { on }: Arguments, context: CliContext): Promise<string> {
  const made = await client.api.createKey({ body: wanted })
  if (on.has('json')) return `${JSON.stringify(made)}\n`
  if (!on.has('quiet')) context.err.write(`the key ${made.name}, ${made.role} of the server; it is shown this once:\n`)
  return `${made.key}\n`
}

async function revoke({ api }: OpenClient, keyName: string, { on }: Arguments): Promise<string> {
  const key = await api.revokeKey({ path: { keyName } })
  if (on.has('quiet')) return ''
  return on.has('json') ? `${JSON.stringify(key)}\n` : `${keyName} is revoked: it lets nobody in\n`
}

/** @throws TroupeError bad_request with every problem that needs no server to be seen */
function wantedIn({ operands: [operand = '', name = ''], text }: Arguments): { key: Wanted } | { name: string } {
  const problems: string[] = []
  if (operand !== 'create' && operand !== 'revoke')
    problems.push(`wanted create or revoke, found ${operand === '' ? 'none' : JSON.stringify(operand)}`)
  if (name === '') problems.push('wanted the name of a key, found none; troupe keys lists them')
  const foreign = operand === 'revoke' ? OF_CREATE.filter((flag) => text[flag] !== undefined) : []
  problems.push(...foreign.map((flag) => `--${flag} belongs to create`))
  const { role, rule, expires } = text
  if (operand === 'create' && role === undefined && rule === undefined)
    problems.push('wanted --role or --rule, found none: a key without them may do nothing')
  const rules = (rule?.split('\n') ?? []).map((one) => ruleIn(one, problems))
  if (problems.length > 0) throw new TroupeError('bad_request', `key: ${problems.join('; ')}`)
  if (operand === 'revoke') return { name }
  // Where the key is made is said what is wrong with its role and rules.
  return { key: { name, role: (role ?? 'none') as Role, rules, ...(expires === undefined ? {} : { expires }) } }
}

/** Such as `runner dags=etl-*,prod-* tags=nightly`. What the words mean is checked where the key is made. */
function ruleIn(text: string, problems: string[]): Record<string, unknown> {
  const [may, ...lists] = text.trim().split(/\s+/)
  const stray = lists.find((list) => !/^\w+=./.test(list))
  if (stray !== undefined) problems.push(`--rule: wanted such as 'runner dags=etl-*', found ${JSON.stringify(stray)}`)
  return {
    may,
    ...Object.fromEntries(
      lists.map((list) => {
        const at = list.indexOf('=')
        return [list.slice(0, at), list.slice(at + 1).split(',')]
      })
    )
  }
}
