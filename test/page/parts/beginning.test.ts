/** Where a graph begins that does not fit its place. Source: docs/page.md "Graphs". */
import { expect } from 'chai'
import { type Box, beginningOf } from '../../../src/page/parts/canvas/beginning.ts'

const SIZE = { width: 196, height: 48 }
const LEGIBLE = 0.86
const LEAST = 0.6

/** Columns of steps, as graphs are laid out. */
const grid = (columns: number, rows: number): Box[] =>
  Array.from({ length: columns * rows }, (_, at) => ({
    x: 16 + Math.floor(at / rows) * 248,
    y: 16 + (at % rows) * 66,
    ...SIZE
  }))

function begun(place: { across: number; down: number }, boxes: readonly Box[], wanted: Box) {
  const [width, height] = [
    Math.max(...boxes.map((box) => box.x + box.width)) + 16,
    Math.max(...boxes.map((box) => box.y + box.height)) + 16
  ]
  const { x, y, zoom } = beginningOf({ ...place, width, height, boxes, wanted, legible: LEGIBLE, least: LEAST })
  const seen = boxes.map((box) => {
    const [left, top] = [box.x * zoom + x, box.y * zoom + y]
    const [right, bottom] = [left + box.width * zoom, top + box.height * zoom]
    const isOut = right <= 0 || bottom <= 0 || left >= place.across || top >= place.down
    const isIn = left >= 0 && top >= 0 && right <= place.across && bottom <= place.down
    return isOut ? 'out' : isIn ? 'in' : 'cut'
  })
  return { x, zoom, seen, wanted: seen[boxes.indexOf(wanted)] }
}

describe('page › the beginning of a graph that does not fit', () => {
  for (const across of [358, 700, 777, 801, 866, 1_000])
    for (const down of [430, 601])
      it(`in ${across} x ${down} px no step is cut off, texts can be read, and the wanted step is in sight, wherever it is`, () => {
        const boxes = grid(12, 20)
        for (const wanted of [0, 61, 130, 239].flatMap((at) => boxes[at] ?? [])) {
          const found = begun({ across, down }, boxes, wanted)
          expect(found.seen.filter((one) => one === 'cut')).to.deep.equal([])
          expect(found.wanted).to.equal('in')
          expect(found.zoom).to.be.within(LEAST, 1.3)
        }
      })

  it('its first step is at the left, and a long row has the size at which all of its texts can be read', () => {
    const boxes = grid(12, 1)
    const [first] = boxes
    const found = begun({ across: 820, down: 500 }, boxes, first ?? expect.fail())
    expect([found.x > -16, found.wanted, found.zoom >= LEGIBLE]).to.deep.equal([true, 'in', true])
  })

  it('where every place cuts something off it is that which cuts least', () => {
    const staggered = Array.from({ length: 60 }, (_, at) => ({ x: 16 + at * 90, y: 16 + (at % 3) * 66, ...SIZE }))
    const [first] = staggered
    const found = begun({ across: 700, down: 400 }, staggered, first ?? expect.fail())
    expect(found.wanted).to.equal('in')
    expect(found.seen.filter((one) => one === 'cut').length).to.be.at.most(2)
  })
})
