// Make the most usual calls of V1, V2 and ingest with openapi-fetch and the types that openapi-typescript generated.
//
//     node with-openapi-fetch.js ADDRESS EMAIL PASSWORD
//
// The generated files v1.d.ts, v2.d.ts and ingest.d.ts are beside this one. Fails on an unexpected response.
import createClient, { type Client } from 'openapi-fetch'
import type { paths as V1 } from './v1.js'
import type { paths as V2 } from './v2.js'
import type { paths as Ingest } from './ingest.js'

declare const process: { argv: string[], exit: (status: number) => void }

const [, , address = '', email = '', password = ''] = process.argv
const calls = { v1: 0, v2: 0, ingest: 0 }

function check (condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`${what}: not as expected`)
}

function equal (found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: expected ${b}, found ${a}`)
}

// Returns what a call has read, or fails with the error that it answered.
function ok<T> (answer: { data?: T, error?: unknown, response: Response }, status = 200): T {
  if (answer.response.status !== status || answer.data === undefined) {
    throw new Error(`${answer.response.url}: expected status ${status}, got ${answer.response.status}: ${JSON.stringify(answer.error)}`)
  }
  return answer.data
}

// Returns the error of a call that must fail.
function failed<E> (answer: { error?: E, response: Response }, status: number): E {
  if (answer.response.status !== status || answer.error === undefined) {
    throw new Error(`${answer.response.url}: expected status ${status}, got ${answer.response.status}`)
  }
  return answer.error
}

function client<Paths extends {}> (name: keyof typeof calls, headers: Record<string, string> = {}): Client<Paths> {
  const made = createClient<Paths>({ baseUrl: address, headers })
  made.use({ onRequest: () => { calls[name] += 1; return undefined } })
  return made
}

async function v1Session (): Promise<Client<V1>> {
  const login = await client<V1>('v1').POST('/api/v1/session', { body: { email, password } })
  equal(ok(login, 201).user.email, email, 'the user of the new session')
  const cookie = login.response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return client<V1>('v1', { Cookie: cookie })
}

async function v1Registry (admin: Client<V1>): Promise<void> {
  const project = ok(await admin.POST('/api/v1/projects', { body: { name: 'Script bridge', code: 'TS-1' } }), 201)
  const renamed = ok(await admin.PATCH('/api/v1/projects/{id}', { params: { path: { id: project.id } }, body: { name: 'Script tunnel' } }))
  equal([renamed.id, renamed.name, renamed.code], [project.id, 'Script tunnel', 'TS-1'], 'the changed project')

  const site = ok(await admin.POST('/api/v1/worksites', {
    body: { name: 'Script yard', colour: '#ff8800', kind: 'logistics', time_zone: 'Europe/Berlin', project_id: project.id }
  }), 201)
  const listed = ok(await admin.GET('/api/v1/worksites', { params: { query: { q: 'script yard', include_total: true } } }))
  equal([listed.data.map(row => row.id), listed.page.total], [[site.id], 1], 'the worksites called Script yard')
  const read = ok(await admin.GET('/api/v1/worksites/{id}', { params: { path: { id: site.id } } }))
  equal([read.name, read.kind, read.colour], ['Script yard', 'logistics', '#ff8800'], 'the worksite')

  const known = ok(await admin.GET('/api/v1/machines', { params: { query: { after_version: 0, limit: 500 } } })).page
  check(known.next === null && typeof known.registry_version === 'number', 'all machines are on one page')
  const machine = ok(await admin.POST('/api/v1/machines', { body: { name: 'Script loader', kind: 'loader', year: 2020 } }), 201)
  const path = { id: machine.id }
  const changed = ok(await admin.PATCH('/api/v1/machines/{id}', { params: { path }, body: { model: 'L 550' } }))
  equal([changed.model, changed.year, changed.kind], ['L 550', 2020, 'loader'], 'the changed machine')
  const archived = ok(await admin.POST('/api/v1/machines/{id}/archive', { params: { path } }))
  check(typeof archived.archived_at === 'string', 'the machine is archived')
  const machines = ok(await admin.GET('/api/v1/machines', { params: { query: { q: 'script loader' } } }))
  equal(machines.data, [], 'archived machines are not listed')
  const since = ok(await admin.GET('/api/v1/machines', { params: { query: { after_version: known.registry_version } } }))
  equal([since.data.map(row => row.id), since.page.gone], [[machine.id], []], 'the machines that changed, archived or not')

  const person = ok(await admin.POST('/api/v1/people', { body: { kind: 'staff', name: 'Ada Script' } }), 201)
  const employed = ok(await admin.PATCH('/api/v1/people/{id}', { params: { path: { id: person.id } }, body: { company: 'Engines' } }))
  equal([employed.name, employed.company], ['Ada Script', 'Engines'], 'the changed person')
  const note = ok(await admin.POST('/api/v1/notes', { body: { entity_type: 'person', entity_id: person.id, body: 'Began today.' } }), 201)
  equal(note.body, 'Began today.', 'the note')

  const deleted = ok(await admin.DELETE('/api/v1/worksites/{id}', { params: { path: { id: site.id } } }))
  equal(deleted.deleted, true, 'a worksite without history is deleted')
  const missing = failed(await admin.GET('/api/v1/worksites/{id}', { params: { path: { id: site.id } } }), 404)
  equal([missing.status, missing.code], [404, 'not_found'], 'a deleted worksite')
}

async function v1Incursions (admin: Client<V1>): Promise<void> {
  const first = ok(await admin.GET('/api/v1/incursions', { params: { query: { limit: 3 } } }))
  check(typeof first.page.next === 'string', 'there is a second page')
  const second = ok(await admin.GET('/api/v1/incursions', { params: { query: { limit: 3, cursor: first.page.next } } }))
  const ids = [...first.data, ...second.data].map(row => row.id)
  equal(new Set(ids).size, 6, 'two pages of incursions')
  const id = ids[5] ?? 0
  const reviewed = ok(await admin.POST('/api/v1/incursions/{id}/review', { params: { path: { id } }, body: { state: 'confirmed' } }))
  equal([reviewed.id, reviewed.review.state], [id, 'confirmed'], 'the review')
  const feed = ok(await admin.GET('/api/v1/incursions', { params: { query: { after_seq: first.seq, limit: 10 } } }))
  equal(feed.data.map(row => row.id), [id], 'the change feed after the review')
}

async function v1Insights (admin: Client<V1>): Promise<void> {
  const totals = ok(await admin.GET('/api/v1/insights/totals'))
  const count = totals.metrics['incursions']?.value ?? 0
  check(count > 1000, 'the incursions of the demo')
  const period = { from: totals.from, to: totals.to }
  const trends = ok(await admin.GET('/api/v1/insights/trends', {
    params: { query: { interval: 'day', metric: ['incursions'], ...period } }
  }))
  const days = trends.series[0]?.points.reduce((sum, point) => sum + (point.value ?? 0), 0)
  equal(days, count, 'the days add up to the total')
  const breakdown = ok(await admin.GET('/api/v1/insights/breakdown', {
    params: { query: { by: 'worksite', metric: ['incursions'], limit: 100, ...period } }
  }))
  const sites = breakdown.rows.reduce((sum, row) => sum + (row.metrics['incursions']?.value ?? 0), 0)
  equal(sites, count, 'the worksites add up to the total')
}

async function v1Reports (admin: Client<V1>): Promise<void> {
  let report = ok(await admin.POST('/api/v1/reports', { body: { kind: 'incursions', format: 'csv' } }), 201)
  const path = { id: report.id }
  for (let attempt = 0; attempt < 300 && (report.state === 'queued' || report.state === 'running'); attempt++) {
    await new Promise(resolve => setTimeout(resolve, 200))
    report = ok(await admin.GET('/api/v1/reports/{id}', { params: { path } }))
  }
  const file = ok(await admin.GET('/api/v1/reports/{id}/download', { params: { path }, parseAs: 'arrayBuffer' }))
  equal([report.state, file.byteLength], ['ready', report.size_bytes], 'the file of the report')
}

async function v1BaseStations (admin: Client<V1>): Promise<void> {
  const path = { id: 1 }
  const station = ok(await admin.GET('/api/v1/base_stations/{id}', { params: { path } }))
  const status = ok(await admin.GET('/api/v1/base_stations/{id}/status', { params: { path } }))
  check(station.serial !== '' && status.status.length > 0, 'the base station and its status')
  const timeline = ok(await admin.GET('/api/v1/base_stations/{id}/timeline', { params: { path, query: { limit: 50 } } }))
  for (const entry of timeline.data) {
    // The kind decides which members there are, also for the compiler.
    if (entry.kind === 'incursion') check(entry.zone === 'warning' || entry.zone === 'danger', 'an incursion in the timeline')
    if (entry.kind === 'runtime') check(entry.started_at <= entry.ended_at, 'runtime in the timeline')
    if (entry.kind === 'status') check(Array.isArray(entry.faults), 'a status in the timeline')
  }
}

async function v1Tester (admin: Client<V1>): Promise<void> {
  const device = ok(await admin.POST('/api/v1/admin/tester_devices', { body: { name: 'Script gate' } }), 201)
  const issued = ok(await admin.POST('/api/v1/admin/tester_devices/{id}/token', { params: { path: { id: device.id } } }), 201)
  const tester = client<V1>('v1', { Authorization: `Bearer ${issued.token}` })
  const person = ok(await tester.POST('/api/v1/tester/people_assets', { body: { kind: 'staff', name: 'Linus Script' } }), 201)
  const found = ok(await tester.GET('/api/v1/tester/people_assets', { params: { query: { kind: 'staff', q: 'linus script' } } }))
  equal(found.data.map(row => row.id), [person.id], 'the people called Linus Script')
  const assignment = ok(await tester.POST('/api/v1/tester/tag_assignments', { body: { tag_serial: 'TS-0001', person_id: person.id } }), 201)
  const ended = ok(await tester.DELETE('/api/v1/tester/tag_assignments/{id}', { params: { path: { id: assignment.id } } }))
  check(typeof ended.ended_at === 'string', 'the assignment has ended')
  const visit = ok(await tester.POST('/api/v1/tester/visitor_sessions', { body: { name: 'Vera Script', tag_serial: 'TS-0001' } }), 201)
  const gone = ok(await tester.POST('/api/v1/tester/visitor_sessions/{id}/check_out', { params: { path: { id: visit.id } } }))
  equal([gone.id, gone.person.name], [visit.id, 'Vera Script'], 'the visit')
}

// A program gets an account and a token of its own in V1, and calls V2 with it.
async function v1ServiceAccounts (admin: Client<V1>): Promise<void> {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const account = ok(await admin.POST('/api/v1/admin/service_accounts', {
    body: { name: 'Script dashboard', role: 'viewer', expires_at }
  }), 201)
  const params = { path: { id: account.id } }
  const issued = ok(await admin.POST('/api/v1/admin/service_accounts/{id}/token', { params, body: { overlap_hours: 1 } }), 201)
  const program = client<V2>('v2', { Authorization: `Bearer ${issued.token}` })
  const { user } = ok(await program.GET('/api/v2/session'))
  equal([user.type, user.name, user.role], ['service_account', 'Script dashboard', 'viewer'], 'the program that is signed in')
  const shown = ok(await admin.GET('/api/v1/admin/service_accounts/{id}', { params }))
  check(typeof shown.token?.last_used_at === 'string', 'the last use of the token')
  equal(ok(await admin.DELETE('/api/v1/admin/service_accounts/{id}/token', { params })).token, null, 'the token is revoked')
  failed(await program.GET('/api/v2/session'), 401)
  const archived = ok(await admin.DELETE('/api/v1/admin/service_accounts/{id}', { params }))
  check(typeof archived.archived_at === 'string', 'the service account is archived')
}

async function v1 (): Promise<void> {
  const admin = await v1Session()
  equal(ok(await admin.GET('/api/v1/session')).user.role, 'admin', 'the role of the session')
  await v1Registry(admin)
  await v1Incursions(admin)
  await v1Insights(admin)
  await v1Reports(admin)
  await v1BaseStations(admin)
  await v1Tester(admin)
  await v1ServiceAccounts(admin)
  ok(await admin.DELETE('/api/v1/session'))
  failed(await admin.GET('/api/v1/session'), 401)
}

// openapi-fetch sends application/json unless it is given another type.
const headers = { 'Content-Type': 'application/vnd.api+json' }

async function v2Documents (program: Client<V2>): Promise<void> {
  const project = ok(await program.POST('/api/v2/projects', {
    headers, body: { data: { type: 'projects', attributes: { name: 'Script north', code: 'T-2' } } }
  }), 201).data
  const changed = ok(await program.PATCH('/api/v2/projects/{id}', {
    headers,
    params: { path: { id: project.id } },
    body: { data: { type: 'projects', id: project.id, attributes: { name: 'Script far north' } } }
  })).data
  equal([changed.attributes?.name, changed.attributes?.code], ['Script far north', 'T-2'], 'the changed project')
  const site = ok(await program.POST('/api/v2/worksites', {
    headers,
    body: {
      data: {
        type: 'worksites',
        attributes: { name: 'Script dock', colour: '#ff8800', kind: 'logistics', time_zone: 'UTC' },
        relationships: { project: { data: { type: 'projects', id: project.id } } }
      }
    }
  }), 201).data
  equal(site.relationships?.project?.data?.id, project.id, 'the project of the worksite')
  const links = ok(await program.POST('/api/v2/projects/{id}/relationships/worksites', {
    headers, params: { path: { id: project.id } }, body: { data: [{ type: 'worksites', id: site.id }] }
  }))
  equal(links.data.map(link => link.id), [site.id], 'the worksites of the project')
  const listed = ok(await program.GET('/api/v2/worksites', {
    params: { query: { 'filter[q]': 'script dock', include: 'project', 'page[size]': 1, 'fields[worksites]': 'name,project' } }
  }))
  equal(listed.data.map(row => [row.id, row.attributes?.name]), [[site.id, 'Script dock']], 'the worksites called Script dock')
  equal(listed.included?.length, 1, 'the project is included')
  const machines = ok(await program.GET('/api/v2/worksites/{id}/machines', { params: { path: { id: '1' } } }))
  check(machines.data.length > 0, 'the machines of a worksite')
  const deleted = ok(await program.DELETE('/api/v2/worksites/{id}', { params: { path: { id: site.id } } }))
  equal(deleted.meta.deleted, true, 'a worksite without history is deleted')
  const fault = failed(await program.GET('/api/v2/projects/{id}', { params: { path: { id: '987654321' } } }), 404)
  equal(fault.errors.map(error => error.status), ['404'], 'a project that does not exist')
}

async function v2Registry (program: Client<V2>): Promise<void> {
  const known = ok(await program.GET('/api/v2/machines', { params: { query: { 'filter[after_version]': 0, 'page[size]': 500 } } }))
  const other = known.data.find(row => row.attributes?.archived === false)?.id ?? ''
  const relationships = { worksite: { data: { type: 'worksites' as const, id: '1' } } }
  const machine = ok(await program.POST('/api/v2/machines', {
    headers, body: { data: { type: 'machines', attributes: { name: 'Script digger', kind: 'excavator' }, relationships } }
  }), 201).data
  // Several values of a filter are separated by commas.
  const found = ok(await program.GET('/api/v2/machines', {
    params: { query: { 'filter[id]': [machine.id, other], include: 'worksite', sort: ['-created_at', 'name'], 'page[total]': true } },
    querySerializer: { array: { style: 'form', explode: false } }
  }))
  equal([found.data[0]?.id, found.meta?.total], [machine.id, 2], 'machines by their ids')
  check(found.included?.some(one => one.type === 'worksites' && one.id === '1') ?? false, 'the worksite of the machine is included')
  const archived = ok(await program.PATCH('/api/v2/machines/{id}', {
    headers, params: { path: { id: machine.id } }, body: { data: { type: 'machines', id: machine.id, attributes: { archived: true } } }
  })).data
  equal([archived.attributes?.archived, archived.relationships?.worksite?.data], [true, null], 'the machine is archived')
  const since = ok(await program.GET('/api/v2/machines', {
    params: { query: { 'filter[after_version]': known.meta?.registry_version ?? 0 } }
  }))
  equal([since.data.map(row => row.id), since.meta?.gone], [[machine.id], []], 'the machines that changed, archived or not')

  const person = ok(await program.POST('/api/v2/people', {
    headers, body: { data: { type: 'people', attributes: { kind: 'staff', name: 'Grace Script' } } }
  }), 201).data
  const employed = ok(await program.PATCH('/api/v2/people/{id}', {
    headers, params: { path: { id: person.id } }, body: { data: { type: 'people', id: person.id, attributes: { company: 'Compilers' } } }
  })).data
  equal([employed.attributes?.name, employed.attributes?.company], ['Grace Script', 'Compilers'], 'the changed person')
  const people = ok(await program.GET('/api/v2/people', { params: { query: { 'filter[q]': 'grace script', include: 'tags' } } }))
  equal(people.data.map(row => row.id), [person.id], 'the people called Grace Script')

  const tag = ok(await program.POST('/api/v2/tags', {
    headers, body: { data: { type: 'tags', attributes: { serial: 'TS-0002', role: 'operator' } } }
  }), 201).data
  const retired = ok(await program.PATCH('/api/v2/tags/{id}', {
    headers, params: { path: { id: tag.id } }, body: { data: { type: 'tags', id: tag.id, attributes: { retired: true } } }
  })).data
  equal(retired.attributes?.state, 'retired', 'the retired tag')
  const worn = ok(await program.GET('/api/v2/tags', {
    params: { query: { 'filter[state]': ['assigned'], include: 'person', 'page[size]': 1 } }
  }))
  equal(worn.data[0]?.relationships?.person?.data?.id, worn.included?.[0]?.id, 'the wearer of a tag is included')
  // A kiosk had a visitor before.
  const visits = ok(await program.GET('/api/v2/visitor_sessions', { params: { query: { include: 'person,tag', 'page[size]': 1 } } }))
  equal(visits.included?.map(one => one.type).sort(), ['people', 'tags'], 'the visitor and the tag are included')
}

async function v2Incursions (program: Client<V2>): Promise<void> {
  const page = ok(await program.GET('/api/v2/incursions', { params: { query: { include: 'machine,worksite', 'page[size]': 3 } } }))
  const first = page.data[0]
  check(first !== undefined && 'links' in first, 'an incursion, not the notice that one is gone')
  const machine = page.included?.find(one => one.type === 'machines' && one.id === first.relationships?.machine?.data?.id)
  check(machine?.type === 'machines' && machine.attributes?.name !== '', 'the machine of an incursion is included')
  const reviewed = ok(await program.PATCH('/api/v2/incursions/{id}', {
    headers,
    params: { path: { id: first.id } },
    body: { data: { type: 'incursions', id: first.id, attributes: { review: { state: 'confirmed', comment: 'Seen by a script.' } } } }
  })).data
  equal(reviewed.attributes?.review?.state, 'confirmed', 'the review')
  const feed = ok(await program.GET('/api/v2/incursions', { params: { query: { 'filter[after_seq]': page.meta?.seq ?? 0 } } }))
  equal(feed.data.map(row => row.id), [first.id], 'the change feed after the review')
}

async function v2Map (program: Client<V2>): Promise<void> {
  const positions = ok(await program.GET('/api/v2/positions'))
  const machine = positions.features[0]
  check(machine !== undefined && machine.geometry.coordinates.length === 2, 'the last position of a machine')
  const at = Date.parse(machine.properties.at)
  const query = { from: new Date(at - 12 * 3_600_000).toISOString(), to: new Date(at + 1_000).toISOString(), simplify_m: 5 }
  const tracks = ok(await program.GET('/api/v2/machines/{id}/tracks', { params: { path: { id: machine.id }, query } }))
  equal(tracks.type, 'FeatureCollection', 'the tracks of the machine')
  const stations = ok(await program.GET('/api/v2/base_stations', { params: { query: { 'filter[installed]': true, include: 'machine' } } }))
  check((stations.included?.length ?? 0) === stations.data.length, 'the machines of base stations are included')
}

async function v2Insights (program: Client<V2>): Promise<void> {
  const charts = ok(await program.GET('/api/v2/insights/charts')).charts.map(chart => chart.key as string)
  check(charts.includes('trends') && charts.includes('hours_of_week'), 'the list of charts')
  const pivot = ok(await program.POST('/api/v2/advanced_insights/pivot', { body: { rows: ['worksite'], measures: ['incursions'] } }))
  const total = pivot.rows.reduce((sum, row) => {
    const cell = row.cells[0]?.[0]
    return sum + Number(Array.isArray(cell) ? cell[0] : cell?.value)
  }, 0)
  const query = { from: pivot.from, to: pivot.to }
  const trends = ok(await program.GET('/api/v2/insights/charts/trends', {
    params: { query: { ...query, interval: 'day', metric: ['incursions'] } }
  }))
  check(typeof trends === 'object', 'a chart as data')
  equal(trends.series[0]?.points.reduce((sum, point) => sum + (point.value ?? 0), 0), total, 'the chart adds up to the pivot')
  const totals = ok(await program.GET('/api/v2/insights/totals', { params: { query: { ...query, compare: 'previous' } } }))
  check(totals.previous !== null && totals.previous.from < totals.from, 'the previous period')
  equal(totals.metrics['incursions']?.value, total, 'the total is that of the pivot')
  const weeks = ok(await program.GET('/api/v2/insights/trends', {
    params: { query: { ...query, interval: 'week', metric: ['incursions'] } }
  }))
  equal(weeks.series[0]?.points.reduce((sum, point) => sum + (point.value ?? 0), 0), total, 'the weeks add up to the pivot')
  const zones = ok(await program.GET('/api/v2/insights/breakdown', { params: { query: { ...query, by: 'zone', metric: ['incursions'] } } }))
  equal(zones.rows.reduce((sum, row) => sum + (row.metrics['incursions']?.value ?? 0), 0), total, 'the zones add up to the pivot')
  const picture = await program.GET('/api/v2/insights/charts/hours_of_week', {
    params: { query: { ...query, format: 'svg' } }, parseAs: 'text'
  })
  check(ok(picture).startsWith('<svg'), 'a chart as a picture')
  check(ok(await program.GET('/api/v2/advanced_insights/outliers', { params: { query: { by: ['machine'] } } })).judged > 0, 'the outliers')

  const definition = { rows: ['worksite'], measures: ['incursions'] }
  const view = ok(await program.POST('/api/v2/saved_views', {
    headers, body: { data: { type: 'saved_views', attributes: { name: 'Script view', kind: 'pivot', definition } } }
  }), 201).data
  const result = ok(await program.GET('/api/v2/advanced_insights/pivot', { params: { query: { view: Number(view.id) } } }))
  equal([result.view.name, result.rows.length], ['Script view', pivot.rows.length], 'the result of the saved view')
  ok(await program.DELETE('/api/v2/saved_views/{id}', { params: { path: { id: view.id } } }))

  let exported = ok(await program.POST('/api/v2/advanced_insights/exports', {
    body: { kind: 'pivot', format: 'csv', pivot: { rows: ['worksite'], measures: ['incursions'] } }
  }), 201)
  const path = { id: exported.id }
  for (let attempt = 0; attempt < 300 && (exported.state === 'queued' || exported.state === 'running'); attempt++) {
    await new Promise(resolve => setTimeout(resolve, 200))
    exported = ok(await program.GET('/api/v2/advanced_insights/exports/{id}', { params: { path } }))
  }
  const file = ok(await program.GET('/api/v2/advanced_insights/exports/{id}/download', { params: { path }, parseAs: 'arrayBuffer' }))
  equal([exported.state, file.byteLength], ['done', exported.size_bytes], 'the file of the export')
}

async function v2 (): Promise<void> {
  const login = await client<V2>('v2').POST('/api/v2/login', { body: { email, password } })
  equal(ok(login).user.email, email, 'the user who signed in')
  const RefreshToken = login.response.headers.get('RefreshToken') ?? ''
  const refreshed = await client<V2>('v2').POST('/api/v2/refresh', { params: { header: { RefreshToken } } })
  equal(ok(refreshed).user.email, email, 'the user of the new token')
  const program = client<V2>('v2', { Authorization: `Bearer ${refreshed.response.headers.get('AccessToken') ?? ''}` })
  check(new Date(ok(await program.GET('/api/v2/session')).expires_at) > new Date(), 'the token is valid')
  await v2Documents(program)
  await v2Registry(program)
  await v2Incursions(program)
  await v2Map(program)
  await v2Insights(program)
  const path = { id: 1 }
  const station = ok(await program.GET('/api/v2/base_stations/{id}', { params: { path } }))
  check('serial' in station && station.serial !== '', 'the page of the base station')
  const events = ok(await program.GET('/api/v2/base_stations/{id}/events', { params: { path, query: { kind: ['incursion'], limit: 1 } } }))
  const event_id = events.data[0]?.event_id ?? ''
  const one = ok(await program.GET('/api/v2/base_stations/{id}/events/{event_id}', { params: { path: { ...path, event_id } } }))
  equal(one.event.event_id, event_id, 'one event')
  const preferences = ok(await program.GET('/api/v2/user_preferences')).data
  const changed = ok(await program.PATCH('/api/v2/user_preferences', {
    headers,
    body: { data: { type: 'user_preferences', id: preferences.id, attributes: { units: 'metric' } } }
  })).data
  equal(changed.attributes?.units, 'metric', 'the changed preferences')
  ok(await program.POST('/api/v2/logout'))
  failed(await program.GET('/api/v2/session'), 401)
}

async function ingest (): Promise<void> {
  const admin = await v1Session()
  const path = { id: 2 }
  const issued = ok(await admin.POST('/api/v1/admin/base_stations/{id}/token', { params: { path } }), 201)
  const device = client<Ingest>('ingest', { Authorization: `Bearer ${issued.token}` })
  const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()
  const tag = ok(await admin.GET('/api/v1/tags', { params: { query: { state: 'assigned', limit: 1 } } })).data[0]?.serial ?? ''
  const body: Ingest['/ingest/v1/events']['post']['requestBody']['content']['application/json'] = [
    { uid: 'ts-1', kind: 'incursion', tag, started_at: minutesAgo(3), ended_at: minutesAgo(2), zone: 'danger' },
    { uid: 'ts-2', kind: 'runtime', started_at: minutesAgo(3), ended_at: minutesAgo(1) },
    { uid: 'ts-3', kind: 'log', at: minutesAgo(500 * 24 * 60), code: 'old', severity: 'info', text: 'Too old.' }
  ]
  const result = ok(await device.POST('/ingest/v1/events', { body }))
  equal([result.accepted, result.rejected.map(row => [row.index, row.code])], [2, [[2, 'bad_time']]], 'the events')
  equal(ok(await device.POST('/ingest/v1/events', { body: body.slice(0, 2) })).duplicates, 2, 'the same events again')

  const message = ok(await admin.POST('/api/v1/base_stations/{id}/messages', { params: { path }, body: { body: 'Please call.' } }), 201)
  const camera = ok(await admin.GET('/api/v1/base_stations/{id}', { params: { path } })).cameras[0] ?? ''
  const clip = ok(await admin.POST('/api/v1/base_stations/{id}/video_clips', {
    params: { path }, body: { from: minutesAgo(3), to: minutesAgo(2.5), camera }
  }), 201)
  const commands = ok(await device.GET('/ingest/v1/commands', { params: { query: { wait: 5 } } }))
  equal([commands.messages.map(row => row.id), commands.video_clips.map(row => row.id)], [[message.id], [clip.id]], 'the commands')
  const gone = ok(await device.POST('/ingest/v1/video_clips/{id}/failed', {
    params: { path: { id: clip.id } }, body: { reason: 'The camera is dirty.' }
  }))
  equal(gone.state, 'failed', 'the clip that failed')
}

async function run (): Promise<void> {
  await v1()
  await v2()
  const counted = `v1: ${calls.v1} calls, v2: ${calls.v2} calls`
  await ingest()
  console.log(`${counted}, ingest: ${calls.ingest} calls`)
}

run().catch(error => { console.error(error); process.exit(1) })
