/** What never gets into the page: anything from elsewhere, secrets, HTML of others. Source: architecture 9. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../support/homes.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, runIs } = livePage((opened) => {
    page = opened
  })

  it('its policy lets in nothing from elsewhere and no inline script', async () => {
    const answer = await visit('')
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy).to.contain("default-src 'self'").and.contain("frame-ancestors 'none'").and.not.contain('unsafe')
    expect(await answer?.text()).to.not.match(/(?:src|href)="(?:https?:)?\/\//)
  })

  it('no secret is in any view of a run: details, outputs, chart, logs, events', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'token'), 'sesame-4711-open')
    api.write(
      'secretive',
      `secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]\nsteps: [{name: leak, command: 'echo "is $TOKEN"', output: LEAKED}]\n`
    )
    const dagRunId = await api.started('secretive')
    await api.ended('secretive', dagRunId)
    const texts: string[] = []
    for (const query of [
      '',
      '?side=chart',
      '?side=out',
      '?step=leak',
      '?step=leak&side=out',
      '?step=leak&side=chart',
      '?view=events'
    ]) {
      await visit(runAddress('secretive', dagRunId, query))
      await runIs('succeeded')
      if (query === '') await page.getByText('LEAKED').waitFor()
      if (query === '?step=leak&side=out') await page.getByRole('log').getByText('is ').waitFor()
      texts.push(await page.content())
    }
    expect(texts.join('')).to.contain('is *****').and.not.contain('sesame')
  })

  it('names, descriptions, parameters and outputs with HTML in them are text', async () => {
    const evil = `<img src=x onerror="document.title='taken over'">`
    const said = JSON.stringify(evil)
    api.write(
      'evil',
      `description: ${said}\ntags: [${said}]\nparams: ${JSON.stringify(`P='${evil.replaceAll("'", '')}'`)}\nsteps:\n  - name: ${said}\n    description: ${said}\n    command: ${JSON.stringify(`echo '<b>bold</b>'`)}\n    output: O\n`
    )
    const dagRunId = await api.started('evil')
    await api.ended('evil', dagRunId)
    const seen = page.locator('main :visible', { hasText: 'onerror' })
    for (const view of ['#/runs', '#/definitions', '#/definitions/evil', '#/definitions/evil?tab=text'])
      await visit(view).then(() => seen.first().waitFor())
    for (const query of ['', '?view=steps', '?view=events', '?view=messages']) {
      await visit(runAddress('evil', dagRunId, query))
      await page.getByText('<b>bold</b>').first().waitFor()
      await page
        .getByText(/onerror/)
        .first()
        .waitFor({ state: 'attached' })
    }
    expect(await page.locator('main img, main b:not(.time-text b)').count()).to.equal(0)
    expect(await page.title()).to.equal('evil – Troupe')
  })
})
