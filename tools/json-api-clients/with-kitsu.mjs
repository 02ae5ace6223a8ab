// Reads and writes projects and worksites with kitsu, a JSON:API client from npm. Fails on an unexpected response.
import assert from 'node:assert'
import { pathToFileURL } from 'node:url'

const [, , folder, baseURL, token] = process.argv
const { default: Kitsu } = await import(pathToFileURL(`${folder}/node_modules/kitsu/dist/index.mjs`))

async function run () {
  const api = new Kitsu({
    baseURL, camelCaseTypes: false, resourceCase: 'none', pluralize: false, headers: { Authorization: `Bearer ${token}` }
  })

  const { data: north, status } = await api.create('projects', { name: 'Kitsu north', code: 'K-1' })
  assert.strictEqual(status, 201)
  const { data: south } = await api.create('projects', { name: 'Kitsu south' })
  const sites = []
  for (const name of ['Kitsu a', 'Kitsu b', 'Kitsu c']) {
    const created = await api.create('worksites', {
      name, colour: '#ff8800', kind: 'logistics', time_zone: 'Europe/Berlin',
      project: { data: { id: north.id, type: 'projects' } }
    })
    sites.push(created.data)
  }
  assert.strictEqual(sites[0].project.data.id, north.id)

  const listed = await api.get('worksites', {
    params: {
      include: 'project', sort: '-name', filter: { q: 'kitsu' },
      fields: { worksites: 'name,project', projects: 'name' }, page: { size: 2 }
    }
  })
  assert.deepStrictEqual(listed.data.map(site => site.name), ['Kitsu c', 'Kitsu b'])
  assert.strictEqual(listed.data[0].project.data.name, 'Kitsu north')
  assert.strictEqual(listed.data[0].colour, undefined)

  const names = []
  let page = listed
  for (;;) {
    names.push(...page.data.map(site => site.name))
    if (!page.links.next) break
    page = await api.request({ url: new URL(page.links.next, baseURL).href, type: 'worksites' })
  }
  assert.deepStrictEqual(names, ['Kitsu c', 'Kitsu b', 'Kitsu a'])
  const back = await api.request({ url: new URL(page.links.prev, baseURL).href, type: 'worksites' })
  assert.deepStrictEqual(back.data.map(site => site.name), ['Kitsu c', 'Kitsu b'])

  const changed = await api.update('projects', { id: north.id, name: 'Kitsu far north', archived: false })
  assert.strictEqual(changed.data.name, 'Kitsu far north')
  assert.strictEqual(changed.data.code, 'K-1')

  const moved = await api.update('worksites', { id: sites[0].id, project: { data: { id: south.id, type: 'projects' } } })
  assert.strictEqual(moved.data.project.data.id, south.id)
  const related = await api.get(`projects/${south.id}/worksites`)
  assert.deepStrictEqual(related.data.map(site => site.name), ['Kitsu a'])

  const gone = await api.delete('worksites', sites[2].id)
  assert.strictEqual(gone.meta.deleted, true)

  await assert.rejects(api.create('projects', { name: 7, surprise: 1 }), error => {
    const pointers = error.errors.map(fault => fault.source.pointer).sort()
    assert.deepStrictEqual(pointers, ['/data/attributes/name', '/data/attributes/surprise'])
    return true
  })
  await assert.rejects(api.get('projects/987654'), error => error.errors[0].status === '404')
  await assert.rejects(api.get('projects', { params: { sort: 'x' } }),
    error => error.errors[0].source.parameter === 'sort')
}

run().then(() => console.log('done'), error => { console.error(error); process.exit(1) })
