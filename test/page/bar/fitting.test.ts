/** How many links to views have room beside each other. Source: docs/page.md "Views". */
import { expect } from 'chai'
import { fitting } from '../../../src/page/bar/fitting.ts'

describe('page › the bar › what has room', () => {
  const bar = { widths: [60, 60, 60, 100, 100], gap: 2, menu: 70, menuOfCurrent: 130, current: 0, isMenuWanted: false }

  it('all links, if they fit without a menu, to the pixel', () => {
    expect(fitting({ ...bar, room: 388 })).to.equal(5)
    expect(fitting({ ...bar, room: 387 })).to.equal(4)
  })
  it('the first ones and the menu, which is wider while it has the name of the current view', () => {
    expect(fitting({ ...bar, room: 358 })).to.equal(4)
    expect(fitting({ ...bar, room: 358, current: 4 })).to.equal(3)
  })
  it('no link where fewer than three would be left, or nothing is known', () => {
    expect(fitting({ ...bar, room: 256 })).to.equal(3)
    expect(fitting({ ...bar, room: 255 })).to.equal(0)
    expect(fitting({ ...bar, room: 0 })).to.equal(0)
  })
  it('a menu that has more than links is there even if all links fit', () => {
    expect(fitting({ ...bar, room: 388, isMenuWanted: true })).to.equal(4)
    expect(fitting({ ...bar, room: 460, isMenuWanted: true })).to.equal(5)
  })
})
