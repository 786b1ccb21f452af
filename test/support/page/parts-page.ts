/** The sheet of all parts of the page in a real browser, and pictures of it beside those that are kept. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { PROJECT } from '../project.ts'

const AT = 'http://parts.test/'
/** The sheet looks the same at any time. */
const NOW = new Date('2026-11-29T09:00:00Z')

/** Script, styles and font in one document. */
async function sheet(): Promise<string> {
  const source = (path: string) => join(PROJECT, 'src/page', path)
  const built = (entry: string) =>
    build({
      entryPoints: [source(entry)],
      bundle: true,
      write: false,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      loader: { '.woff2': 'dataurl' },
      define: { CRON_FILE: '""', CHARTS_FILE: '""', DAG_LAYOUT_FILE: '""', EDITOR_FILE: '""', VIEWS_FILE: '""' }
    }).then(({ outputFiles }) => outputFiles[0]?.text ?? '')
  const [script, styles] = [await built('looks/parts-page.tsx'), await built('styles/index.css')]
  // Fonts for code are those of the system, which differ; and a picture waits for no font.
  const own = ':root { --mono: Inter } * { animation: none !important; transition: none !important }'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="troupe-zone" content="UTC"><title>Parts</title>
<meta name="viewport" content="width=device-width"><style>${styles.replace('optional', 'block')}${own}</style><body><script>${script.replaceAll('</script', '<\\/script')}</script>`
}

export async function openParts(page: Page): Promise<void> {
  const html = await sheet()
  await page.clock.setFixedTime(NOW)
  await page.route(`${AT}**`, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(AT)
  await page.evaluate('document.fonts.ready')
}

/** In the browser: half as large, which is enough to be looked at, and a third of the bytes. */
const HALF = `async (png) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
  const canvas = new OffscreenCanvas(Math.round(image.width / 2), Math.round(image.height / 2))
  const context = canvas.getContext('2d')
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())]
}`
// D1724: pictures of all parts are kept, half as large, and compared by blocks
/** In the browser: how many blocks of 4 x 4 pixels of the screen differ by more than a shade; of another size, all. */
const DIFFERENCE = `async (pair) => {
  const [one, other] = await Promise.all(pair.map(async (png) => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
    const [width, height] = [Math.ceil(image.width / 2), Math.ceil(image.height / 2)]
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, width, height)
    return { size: width + ' x ' + height, data: context.getImageData(0, 0, width, height).data }
  }))
  if (one.size !== other.size) return one.data.length / 4
  let count = 0
  for (let at = 0; at < one.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) > 24)) count++
  return count
}`

/** @returns how many blocks of a page are not as in the kept picture; with UPDATE_GOLDEN, it becomes the kept one */
export async function changedBlocks(page: Page, name: string): Promise<number> {
  const kept = join(PROJECT, 'test/page/looks', `${name}.png`)
  const whole = (await page.screenshot({ fullPage: true })).toString('base64')
  const now = Buffer.from(await page.evaluate<number[]>(`(${HALF})(${JSON.stringify(whole)})`))
  if (process.env.UPDATE_GOLDEN || !existsSync(kept)) writeFileSync(kept, now)
  const pair = [readFileSync(kept), now].map((png) => png.toString('base64'))
  return page.evaluate<number>(`(${DIFFERENCE})(${JSON.stringify(pair)})`)
}
