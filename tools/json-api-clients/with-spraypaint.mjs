// Saves what it loaded with spraypaint, a JSON:API client from npm that sends only what was changed. Fails on an unexpected response.
import assert from 'node:assert'
import { createRequire } from 'node:module'

const [, , folder, address, token] = process.argv
const { SpraypaintBase, attr } = createRequire(`${folder}/node_modules/`)('spraypaint')

async function run () {
  const { origin, pathname } = new URL(address)
  const Base = SpraypaintBase.extend({
    static: {
      baseUrl: origin, apiNamespace: pathname, jwt: token, jwtStorage: false,
      generateAuthHeader: jwt => `Bearer ${jwt}`, keyCase: { server: 'snake', client: 'snake' }
    }
  })
  const Project = Base.extend({
    static: { jsonapiType: 'projects' },
    attrs: { name: attr(), code: attr(), archived: attr(), archived_at: attr(), created_at: attr(), updated_at: attr() }
  })

  const made = new Project({ name: 'Spraypaint north', code: 'S-1' })
  assert.ok(await made.save())
  const { data: project } = await Project.find(made.id)
  const { updated_at: updatedAt, created_at: createdAt } = project
  assert.ok(await project.save())
  assert.strictEqual((await Project.find(made.id)).data.updated_at, updatedAt)

  project.name = 'Spraypaint far north'
  project.updated_at = '2020-01-01T00:00:00Z'
  assert.ok(await project.save())
  const { data: renamed } = await Project.find(made.id)
  assert.deepStrictEqual([renamed.name, renamed.code, renamed.created_at], ['Spraypaint far north', 'S-1', createdAt])
  assert.notStrictEqual(renamed.updated_at, '2020-01-01T00:00:00Z')

  renamed.created_at = '2020-01-01T00:00:00Z'
  await assert.rejects(renamed.save(), error => error.response.status === 422)

  const times = { created_at: attr(), updated_at: attr() }
  const Machine = Base.extend({
    static: { jsonapiType: 'machines' }, attrs: { name: attr(), kind: attr(), year: attr(), number_plate: attr(), archived: attr(), ...times }
  })
  const Person = Base.extend({
    static: { jsonapiType: 'people' }, attrs: { name: attr(), kind: attr(), company: attr(), archived: attr(), ...times }
  })
  const Tag = Base.extend({
    static: { jsonapiType: 'tags' }, attrs: { serial: attr(), role: attr(), state: attr(), retired: attr(), ...times }
  })
  const records = [
    [Machine, { name: 'Spraypaint digger', kind: 'excavator', year: 2020 }, ['number_plate', 'S-P 1']],
    [Person, { name: 'Ada Spraypaint', kind: 'staff' }, ['company', 'Engines']],
    [Tag, { serial: 'SPRAY-1', role: 'pedestrian' }, ['role', 'operator']]
  ]
  for (const [Model, fields, [field, value]] of records) {
    const made = new Model(fields)
    assert.ok(await made.save())
    const { data: loaded } = await Model.find(made.id)
    const { updated_at: updatedAt } = loaded
    assert.ok(await loaded.save())
    assert.strictEqual((await Model.find(made.id)).data.updated_at, updatedAt)
    loaded[field] = value
    loaded.updated_at = '2020-01-01T00:00:00Z'
    assert.ok(await loaded.save())
    const { data: changed } = await Model.find(made.id)
    assert.deepStrictEqual([changed[field], changed.created_at], [value, loaded.created_at])
    changed.created_at = '2020-01-01T00:00:00Z'
    await assert.rejects(changed.save(), error => error.response.status === 422)
  }
}

run().then(() => console.log('done'), error => { console.error(error); process.exit(1) })
