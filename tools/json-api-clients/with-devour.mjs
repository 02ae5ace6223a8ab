// Saves what it loaded with devour, a JSON:API client from npm that sends every attribute back. Fails on an unexpected response.
import assert from 'node:assert'
import { createRequire } from 'node:module'

const [, , folder, apiUrl, bearer] = process.argv
const Devour = createRequire(`${folder}/node_modules/`)('devour-client')

async function run () {
  const api = new Devour({ apiUrl, bearer, logger: false })
  const shared = { name: '', archived: false, archived_at: null, created_at: '', updated_at: '' }
  api.define('project', { ...shared, code: '', worksites: { jsonApi: 'hasMany', type: 'worksites' } })
  api.define('worksite', {
    ...shared, colour: '', kind: '', time_zone: '', area_m2: 0, technical_contact: '', boundary: null,
    project: { jsonApi: 'hasOne', type: 'projects' }
  })
  api.define('machine', {
    ...shared, kind: '', serial_number: '', manufacturer: '', model: '', year: 0, number_plate: '',
    worksite: { jsonApi: 'hasOne', type: 'worksites' }, base_station: { jsonApi: 'hasOne', type: 'base_stations' }
  })
  api.define('person', {
    ...shared, kind: '', employee_id: '', email: '', company: '', erased_at: null, tags: { jsonApi: 'hasMany', type: 'tags' }
  })
  api.define('tag', {
    serial: '', role: '', state: '', flags: [], battery_percent: 0, last_seen_at: null, last_test: null, days_since_last_test: 0,
    incursions: null, retired: false, retired_at: null, created_at: '', updated_at: '', person: { jsonApi: 'hasOne', type: 'people' }
  })

  const { data: north } = await api.create('project', { name: 'Devour north', code: 'D-1' })
  const boundary = { type: 'Circle', center: [13.405, 52.52], radius_m: 250 }
  const { data: made } = await api.create('worksite', {
    name: 'Devour quay', colour: '#ff8800', kind: 'logistics', time_zone: 'Europe/Berlin', boundary, project: { id: north.id }
  })

  const { data: site } = await api.find('worksite', made.id)
  assert.strictEqual(site.project.id, north.id)
  const { data: saved } = await api.update('worksite', site)
  assert.deepStrictEqual([saved.updated_at, saved.boundary], [site.updated_at, site.boundary])

  const { data: project } = await api.find('project', north.id, { include: 'worksites' })
  assert.deepStrictEqual(project.worksites.map(one => one.id), [site.id])
  const { data: same } = await api.update('project', project)
  assert.strictEqual(same.updated_at, project.updated_at)

  const { data: renamed } = await api.update('worksite', { ...site, name: 'Devour pier' })
  assert.deepStrictEqual([renamed.name, renamed.colour], ['Devour pier', '#ff8800'])
  await assert.rejects(api.update('project', { ...project, created_at: '2020-01-01T00:00:00Z' }))
  await assert.rejects(api.update('project', { ...project, worksites: [] }))

  const records = [
    ['machine', { name: 'Devour digger', kind: 'excavator', year: 2020, worksite: { id: site.id } }, { model: 'D 1' }],
    ['person', { kind: 'staff', name: 'Ada Devour', employee_id: 'DEVOUR-1' }, { company: 'Engines' }],
    ['tag', { serial: 'DEVOUR-1', role: 'pedestrian' }, { role: 'operator' }]
  ]
  for (const [model, fields, change] of records) {
    const { data: made } = await api.create(model, fields)
    const { data: loaded } = await api.find(model, made.id)
    const { data: same } = await api.update(model, loaded)
    assert.deepStrictEqual(same, loaded)
    const { data: changed } = await api.update(model, { ...loaded, ...change })
    assert.deepStrictEqual({ ...changed, updated_at: '' }, { ...loaded, ...change, updated_at: '' })
    await assert.rejects(api.update(model, { ...loaded, created_at: '2020-01-01T00:00:00Z' }))
  }
}

run().then(() => console.log('done'), error => { console.error(error); process.exit(1) })
