/** What the schema of a definition says about a place of it. */
import { expect } from 'chai'
import { definitionSchema } from '../../../../src/definition/fields/schema.ts'
import { keysAt, type SchemaNode, tellOf, valuesOf } from '../../../../src/page/editor/text/definition-schema.ts'

describe('page › the schema of a definition, asked at a place', () => {
  // The same schema, as the build gives it to the page.
  const schema: SchemaNode = JSON.parse(JSON.stringify(definitionSchema()))
  const keys = (path: string[]) => keysAt(schema, { path }).map(({ name }) => name)

  it('keys of the definition, of steps as list, as map and in groups, of handlers', () => {
    expect(keys([])).to.include.members(['steps', 'params', 'maxActiveRuns'])
    for (const path of [
      ['steps', '[]'],
      ['steps', 'first'],
      ['steps', '[]', '[]'],
      ['handlerOn', 'exit'],
      ['STEPS', '[]']
    ])
      expect(keys(path), path.join('.')).to.include.members(['command', 'depends', 'retryPolicy'])
    expect(keys(['steps', '[]', 'retryPolicy'])).to.include.members(['limit', 'intervalSec'])
  })
  it('the type of an executor decides what its config is', () => {
    expect(keys(['steps', '[]', 'executor', 'config'])).to.deep.equal([])
    const told = (type: string) =>
      keysAt(schema, { path: ['steps', '[]', 'executor', 'config'], outer: new Map([['type', type]]) })
    expect(told('http').map(({ name }) => name)).to.include('headers')
    expect(told('docker').map(({ name }) => name)).to.include('image')
  })
  it('the words of a value', () => {
    expect(valuesOf(schema, { path: [] }, 'type')).to.deep.equal(['chain', 'graph'])
    expect(valuesOf(schema, { path: [] }, 'skipIfSuccessful')).to.deep.equal(['true', 'false'])
    expect(valuesOf(schema, { path: ['steps', '[]', 'executor'] }, 'type')).to.include.members(['docker', 'http'])
    expect(valuesOf(schema, { path: [] }, 'name')).to.deep.equal([])
  })
  it('what a key is', () => {
    expect(tellOf(schema, { path: [] }, 'catchup')).to.deep.include({
      default: '"none"',
      values: ['none', 'last', 'all']
    })
    expect(tellOf(schema, { path: ['steps', '[]'] }, 'command')?.kind).to.equal('text or list')
    expect(tellOf(schema, { path: [] }, 'nothing')).to.equal(undefined)
  })
})
