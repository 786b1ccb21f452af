/** Resolves the secrets of a run, once per attempt, before any step starts. Source: execution-semantics 14.4. */
import { isAbsolute, resolve } from 'node:path'
import type { Plan, RunKey, Secret } from '../../../../machines/vocabulary.ts'
import { codeOf, isA, messageOf, TroupeError } from '../../../errors.ts'
import { NotRegular, readNamed } from '../../../executors/frame/named-file.ts'
import type { CommandRules } from '../../../executors/limits/step-policy.ts'
import { noSecrets, type Secrets, secretsOf } from '../../../masking/secrets.ts'
import type { Account } from '../../../platform/account.ts'
import { atHome } from '../../../platform/at-home.ts'
import { LARGEST } from './secret-program.ts'
import { openSecretProviders, type SecretProviders } from './secret-providers.ts'

/** Where secrets come from. */
export interface SecretSources {
  /** Variables of the DAG: its dotenv file and its `env`. */
  own: Readonly<Record<string, string>>
  /** Variables of the server. */
  environment: Readonly<Record<string, string>>
  /** The run's working directory, absolute; it exists if a program prints a secret. */
  workingDir: string
  defaultShell: string
  run: RunKey
  /** What holds programs, and reading files; absent: nothing. */
  commands?: CommandRules | undefined
  /** Ends the wait for a value. */
  signal?: AbortSignal | undefined
}

/** Whether a program prints one: it works in the folder of the run. */
export const needsProgram = ({ secrets }: Pick<Plan, 'secrets'>): boolean =>
  secrets.some(({ provider }) => provider === 'command')

/** Valid names of shell variables; a process would get any other name on its command line. */
const NAME = /^[A-Za-z_]\w*$/
const NEVER = new AbortController().signal

// D760: a secret of the provider `env` hides only its value
/** @throws TroupeError bad_request `failed to resolve secrets: ...`: which one, and how to fix it; never a value */
export async function resolveSecrets(
  { secrets, sourceDir }: Pick<Plan, 'secrets' | 'sourceDir'>,
  sources: SecretSources,
  providers: SecretProviders = openSecretProviders()
): Promise<Secrets> {
  if (secrets.length === 0) return noSecrets
  const { workingDir } = sources
  const folders = sourceDir === undefined ? [workingDir] : [workingDir, sourceDir]
  const values: Record<string, string> = Object.create(null)
  let size = 0
  for (const secret of whatCanQuoteLast(secrets)) {
    const known = secretsOf(values)
    const fail = (reason: string): never => {
      const message = `failed to resolve secrets: secret "${secret.name}": ${reason}`
      throw new TroupeError('bad_request', known.mask(message))
    }
    if (!NAME.test(secret.name))
      fail('a step cannot be given a variable of this name; use letters, digits and _, not a digit first')
    const value = await found(secret, sources, folders, providers, known, fail)
    if (value.includes('\0')) fail('its value holds a NUL character, which no variable can; store it encoded')
    size += Buffer.byteLength(value)
    if (size > LARGEST)
      fail(`the values are larger than ${LARGEST} bytes in all; give the steps the path of a file instead`)
    values[secret.name] = value
  }
  return secretsOf(values)
}

/** Programs and applications may name the values of others in their errors: by then all that are only read are known. */
const whatCanQuoteLast = (secrets: Secret[]): Secret[] => [
  ...secrets.filter(isRead),
  ...secrets.filter((secret) => !isRead(secret))
]

const isRead = ({ provider }: Secret): boolean => provider === 'env' || provider === 'file'

type Fail = (reason: string) => never

async function found(
  secret: Secret,
  sources: SecretSources,
  folders: string[],
  providers: SecretProviders,
  { mask }: Secrets,
  fail: Fail
): Promise<string> {
  if (secret.provider === 'env') return fromVariables(secret, sources, fail)
  const { workingDir: cwd, own, environment, defaultShell, run, signal = NEVER } = sources
  const { refused, account, enter } = sources.commands ?? {}
  if (secret.provider === 'file') return fromFile(secret, folders, fail, account)
  if (secret.provider === 'command' && refused !== undefined) fail(refused)
  return providers
    .valueOf(secret, { cwd, own, environment, defaultShell, run, account, enter, mask, signal })
    .catch((error) => fail(messageOf(error)))
}

type Variables = Pick<SecretSources, 'own' | 'environment'>

/** The DAG's variables, even empty ones, hide the server's. Source: execution-semantics 14.4.2. */
const variableOf = ({ key }: Secret, { own, environment }: Variables): string | undefined =>
  [own, environment].find((variables) => Object.hasOwn(variables, key))?.[key]

function fromVariables(secret: Secret, variables: Variables, fail: Fail): string {
  const missing = `neither the DAG (dotenv, env) nor the server's environment has a variable ${secret.key}`
  return variableOf(secret, variables) ?? fail(`${missing}; set it in one of them`)
}

/** The part of the secrets that is known when reading them has not begun, or has failed. */
export interface EarlySources extends Variables {
  /** Where relative paths of files are looked for. */
  folders: string[]
  /** Absent: as for `SecretSources`. */
  commands?: CommandRules | undefined
}

/** Masks values in the error of what came before the secrets of a run were resolved: variables and files may hold them already. */
export async function maskedFailure(
  cause: unknown,
  { secrets }: Pick<Plan, 'secrets'>,
  { folders, commands, ...variables }: EarlySources
): Promise<unknown> {
  if (!(cause instanceof Error) || secrets.length === 0) return cause
  const absent = (): never => {
    throw new Error('it has no value that could be shown')
  }
  const read = secrets.filter(isRead).map(async (secret) => {
    const value =
      secret.provider === 'env'
        ? variableOf(secret, variables)
        : await fromFile(secret, folders, absent, commands?.account).catch(() => undefined)
    return value === undefined ? [] : [[secret.name, value] as const]
  })
  const message = secretsOf(Object.fromEntries((await Promise.all(read)).flat())).mask(cause.message)
  if (message === cause.message) return cause
  return cause instanceof TroupeError ? new TroupeError(cause.code, message) : new Error(message) // its cause would repeat the value
}

/** One trailing line break comes from the editor and is not part of the value. */
async function fromFile({ key }: Secret, folders: string[], fail: Fail, account: Account | undefined): Promise<string> {
  const path = atHome(key)
  const paths = isAbsolute(path) ? [path] : [...new Set(folders.map((folder) => resolve(folder, path)))]
  for (const runRequest of paths) {
    const bytes = await readNamed(runRequest, LARGEST, account).catch((error) =>
      ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
        ? undefined
        : fail(`the file ${runRequest} cannot be read: ${reasonOf(error)}`)
    )
    if (!bytes) continue
    const text = bytes.toString('utf8')
    if (!Buffer.from(text).equals(bytes)) fail(`the file ${runRequest} is not UTF-8 text; store it encoded`)
    return text.replace(/\r?\n$/, '')
  }
  return fail(`there is no file ${paths.join(' or ')}; make it, or write its absolute path as the key`)
}

const reasonOf = (error: unknown): string =>
  isA(error, NotRegular) || codeOf(error) === 'EISDIR' ? 'it is not a regular file' : messageOf(error)
