/** `troupe open`: the web page of the running server, of a run, or of a definition. Prints the address, and on a terminal opens it. Our addition. */
import { spawn } from 'node:child_process'
import type { Config } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import { placeOnPage } from '../../foreground/hints.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { requestedRun } from '../../input/requested-run.ts'
import { openToRead, ownerOf } from '../../owner/open-client.ts'

const ANSWER_MS = 2_000

export const run: CommandModule['run'] = async (args, context) => {
  const { out } = context
  const config = context.configure(settingsOf(args))
  const server = context.remote?.url ?? (await pageOfHome(args, context, config)) ?? (await serverOf(config))
  const address = `${server}/${await placeOf(args, context)}`
  if (args.on.has('json')) out.write(`${JSON.stringify({ url: address })}\n`)
  else if (!args.on.has('quiet')) out.write(`${address}\n`)
  if (out.isTTY && !args.on.has('print')) show(address)
  return 0
}

/** Where the page is in its address. */
async function placeOf(args: Arguments, context: CliContext): Promise<string> {
  if (args.operand === '') return ''
  const client = await openToRead(context, settingsOf(args))
  try {
    return placeOnPage(await requestedRun(args, context, client))
  } finally {
    await client.close()
  }
}

// D1547: `troupe open` asks the server of the home where its page is
/** Address of the page of the server that has the home. Undefined: another one is named, none is there, or it has no page. */
async function pageOfHome({ text }: Arguments, context: CliContext, config: Config): Promise<string | undefined> {
  if (text.host !== undefined || text.port !== undefined) return undefined
  const owner = await ownerOf(config, context)
  await owner?.close()
  return owner?.page
}

/** @throws TroupeError service_unavailable: none answers where the settings say */
async function serverOf({ host, port, basePath, apiBasePath, tls }: Config): Promise<string> {
  const shown = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  const origin = `${tls ? 'https' : 'http'}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
  const address = origin + basePath
  try {
    await fetch(`${address}${apiBasePath}/health`, { signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (cause) {
    if (isUntrusted(cause)) return address // it answers, with a certificate that only the browser may know
    throw new TroupeError(
      'service_unavailable',
      `no server answers at ${address}: troupe start-all starts one, and --host and --port say where another one is`,
      { cause }
    )
  }
  return address
}

const isUntrusted = (error: unknown): boolean => {
  const { code = '' }: { code?: string } = Object(Object(error).cause)
  return /CERT|SELF_SIGNED|ALTNAME/.test(code)
}

/** Leaves it to the desktop; where there is none, the printed address is all there is. */
function show(address: string): void {
  const opener = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [address], {
    stdio: 'ignore',
    detached: true
  })
  opener.on('error', () => {})
  opener.unref()
}
