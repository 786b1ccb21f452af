/** Every part of the page as it looks, in both themes and on a phone. Source: src/page/README.md, "styles". */
import { expect } from 'chai'
import { keepPicture, liveBrowser, seriousFindings } from '../../support/page/browser.ts'
import { changedBlocks, openParts } from '../../support/page/parts-page.ts'

/** Of some 50,000: edges are smoothed in another way by another version of the browser. */
const MOST = 30

describe('page › looks › parts', () => {
  const newPage = liveBrowser()
  for (const [width, colorScheme] of [
    [760, 'light'],
    [760, 'dark'],
    [390, 'light']
  ] as const)
    it(`at ${width} px, ${colorScheme}: every part looks as in the kept picture, and can be read by all`, async () => {
      const name = `parts-${width}-${colorScheme}`
      const { page } = await newPage({ viewport: { width, height: 900 }, colorScheme, timezoneId: 'UTC' })
      await openParts(page)
      expect(await page.evaluate(`document.fonts.check('14px Inter')`)).to.equal(true)
      const changed = await changedBlocks(page, name)
      if (changed > MOST) await keepPicture(page, `failed ${name}`)
      expect(changed, 'blocks that look different; UPDATE_GOLDEN=1 keeps the new picture').to.be.at.most(MOST)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
      expect(await seriousFindings(page)).to.deep.equal([])
    })

  it('a picture tells a line below each name from none, and one weight from another', async function () {
    if (process.env.UPDATE_GOLDEN) this.skip()
    const { page } = await newPage({ viewport: { width: 760, height: 900 }, timezoneId: 'UTC' })
    await openParts(page)
    for (const rule of ['table a { text-decoration: underline 2px !important }', '.status { font-weight: 600 }']) {
      const style = await page.addStyleTag({ content: rule })
      expect(await changedBlocks(page, 'parts-760-light'), rule).to.be.above(MOST)
      await style.evaluate((it) => (it as unknown as { remove(): void }).remove())
    }
  })
})
