"""Make the most usual calls of V1, V2 and ingest with the clients that openapi-python-client generated.

    with_python_client.py FOLDER ADDRESS EMAIL PASSWORD

FOLDER contains the packages keepclear_v1, keepclear_v2 and keepclear_ingest. Fails on an unexpected response.
"""

import datetime
import enum
import hashlib
import importlib
import io
import pkgutil
import sys
import time
import typing


class Api:
    """A generated package. Its operations are found by their ids, and plain values become the types that they take."""

    def __init__(self, name):
        self.package, self.calls, self.operations = importlib.import_module(name), 0, {}
        for module in pkgutil.walk_packages(self.package.__path__, f"{name}."):
            imported = importlib.import_module(module.name)
            if hasattr(imported, "sync_detailed"):
                self.operations[module.name.rpartition(".")[2]] = imported

    def anonymous(self, address):
        return self.package.Client(base_url=address, raise_on_unexpected_status=True)

    def with_token(self, address, token):
        return self.package.AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)

    def with_cookie(self, address, cookie):
        return self.package.AuthenticatedClient(
            base_url=address, token=cookie, prefix="", auth_header_name="Cookie", raise_on_unexpected_status=True
        )

    def file(self, content, media_type):
        return self.package.types.File(payload=io.BytesIO(content), mime_type=media_type)

    def call(self, client, operation, *path, expect=200, **arguments):
        """Call an operation, check the status, and return the response: `parsed`, `headers`, `content`."""
        function = self.operations[operation].sync_detailed
        types = typing.get_type_hints(function)
        arguments = {name: converted(value, types[name]) for name, value in arguments.items()}
        response = function(*path, client=client, **arguments)
        self.calls += 1
        if response.status_code != expect:
            raise SystemExit(f"{operation}: expected status {expect}, got {response.status_code}: {response.content[:500]!r}")
        return response


def converted(value, wanted):
    """Convert dicts and words into the models and enums of the generated code."""
    options = typing.get_args(wanted) if not hasattr(wanted, "from_dict") else (wanted,)
    if isinstance(value, list):
        item = next((typing.get_args(option)[0] for option in (wanted, *options) if typing.get_origin(option) is list), object)
        return [converted(entry, item) for entry in value]
    for option in (wanted, *options):
        if isinstance(value, dict) and hasattr(option, "from_dict"):
            return option.from_dict(value)
        if isinstance(value, str) and isinstance(option, type) and issubclass(option, enum.Enum):
            return option(value)
    return value


def equal(found, expected, what):
    if found != expected:
        raise SystemExit(f"{what}: expected {expected!r}, found {found!r}")


def true(condition, what):
    if not condition:
        raise SystemExit(f"{what}: not as expected")


def cookie_of(response):
    return response.headers["Set-Cookie"].partition(";")[0]


def period_of(answer):
    """Return the period of an answer as parameters of a further call."""
    return {"from_": answer.from_, "to": answer.to}


def v1_session(api, address, email, password):
    created = api.call(api.anonymous(address), "create_session", expect=201, body={"email": email, "password": password})
    equal(created.parsed.user.email, email, "the user of the new session")
    return api.with_cookie(address, cookie_of(created))


def v1_registry(api, admin):
    project = api.call(admin, "create_project", expect=201, body={"name": "Python bridge", "code": "PY-1"}).parsed
    changed = api.call(admin, "change_project", project.id, body={"name": "Python tunnel"}).parsed
    equal((changed.id, changed.name, changed.code), (project.id, "Python tunnel", "PY-1"), "the changed project")
    true(project.id in [row.id for row in api.call(admin, "list_projects", limit=500).parsed.data], "the project is listed")

    site = {"name": "Python yard", "colour": "#ff8800", "kind": "logistics", "time_zone": "Europe/Berlin", "project_id": project.id}
    created = api.call(admin, "create_worksite", expect=201, body=site)
    worksite = created.parsed
    equal(created.headers["Location"], f"/api/v1/worksites/{worksite.id}", "the address of the new worksite")
    listed = api.call(admin, "list_worksites", q="python yard", include_total=True).parsed
    equal(([row.id for row in listed.data], listed.page.total), ([worksite.id], 1), "the worksites called Python yard")
    read = api.call(admin, "get_worksite", worksite.id).parsed
    equal((read.name, read.kind, read.colour, read.archived_at), ("Python yard", "logistics", "#ff8800", None), "the worksite")

    known = api.call(admin, "list_machines", after_version=0, limit=500).parsed
    equal(known.page.next_, None, "all machines are on one page")
    machine = api.call(admin, "create_machine", expect=201, body={"name": "Python loader", "kind": "loader", "year": 2020}).parsed
    changed = api.call(admin, "change_machine", machine.id, body={"model": "L 550"}).parsed
    equal((changed.model, changed.year, changed.kind), ("L 550", 2020, "loader"), "the changed machine")
    archived = api.call(admin, "archive_machine", machine.id).parsed
    true(isinstance(archived.archived_at, datetime.datetime), "the machine is archived")
    equal(api.call(admin, "list_machines", q="python loader").parsed.data, [], "archived machines are not listed")
    changed = api.call(admin, "list_machines", after_version=known.page.registry_version).parsed
    equal(([row.id for row in changed.data], changed.page.gone), ([machine.id], []), "the machines that changed, archived or not")

    person = api.call(admin, "create_person", expect=201, body={"kind": "staff", "name": "Ada Python"}).parsed
    changed = api.call(admin, "change_person", person.id, body={"company": "Analytical Engines"}).parsed
    equal((changed.name, changed.company), ("Ada Python", "Analytical Engines"), "the changed person")
    note = {"entity_type": "person", "entity_id": person.id, "body": "Began today."}
    equal(api.call(admin, "create_note", expect=201, body=note).parsed.body, "Began today.", "the note")
    true(api.call(admin, "archive_person", person.id).parsed.archived_at, "the person is archived")

    equal(api.call(admin, "delete_worksite", worksite.id).parsed.deleted, True, "a worksite without history is deleted")
    missing = api.call(admin, "get_worksite", worksite.id, expect=404).parsed
    equal((missing.status, missing.code), (404, "not_found"), "a deleted worksite")
    file = api.file(b"kind,name\nstaff,Grace Python\n", "text/csv")
    imported = api.call(admin, "import_people", dry_run=True, body=file).parsed
    equal((imported.lines, imported.dry_run), (1, True), "the dry run of an import")


def v1_incursions(api, admin):
    first = api.call(admin, "list_incursions", limit=3).parsed
    equal(len(first.data), 3, "a page of incursions")
    second = api.call(admin, "list_incursions", limit=3, cursor=first.page.next_).parsed
    ids = [row.id for row in first.data + second.data]
    equal(len(set(ids)), 6, "two pages of incursions")
    true(first.data[0].started_at >= second.data[-1].started_at, "the newest incursions come first")
    reviewed = api.call(admin, "review_incursion", ids[0], body={"state": "confirmed", "comment": "Seen."}).parsed
    equal((reviewed.id, reviewed.review.state, reviewed.review.comment), (ids[0], "confirmed", "Seen."), "the review")
    equal(api.call(admin, "get_incursion", ids[0]).parsed.review.state, "confirmed", "the reviewed incursion")
    # The generated client sends include_total=false, the default.
    feed = api.call(admin, "list_incursions", after_seq=first.seq, limit=10).parsed
    equal([row.id for row in feed.data], [ids[0]], "the change feed after the review")
    true(feed.data[0].seq > first.seq, "the change feed goes on")


def v1_insights(api, admin):
    totals = api.call(admin, "get_insight_totals").parsed
    incursions = totals.metrics["incursions"]
    true(incursions.value > 1000 and incursions.unit == "count", "the incursions of the demo")
    rate = totals.metrics["acknowledgement_rate"]
    true(abs(rate.value - rate.numerator / rate.denominator) < 1e-9, "a rate is numerator by denominator")
    period = period_of(totals)
    trends = api.call(admin, "get_insight_trends", interval="day", metric=["incursions"], **period).parsed
    equal(sum(point.value or 0 for point in trends.series[0].points), incursions.value, "the days add up to the total")
    rows = api.call(admin, "get_insight_breakdown", by="worksite", metric=["incursions"], limit=100, **period).parsed.rows
    equal(sum(row.metrics["incursions"].value for row in rows), incursions.value, "the worksites add up to the total")
    summary = api.call(admin, "get_insights").parsed
    true(summary.top_machines[0].part.label and summary.totals.metrics["incursions"].value > 0, "the summary")
    entities = api.call(admin, "list_entities", type_=["machine"], sort="-incursions", limit=5).parsed
    counts = [row.summary["incursions"].value for row in entities.data]
    equal(counts, sorted(counts, reverse=True), "machines by incursions")


def v1_reports(api, admin):
    created = api.call(admin, "request_report", expect=201, body={"kind": "incursions", "format": "csv"})
    report = created.parsed
    equal(created.headers["Location"], f"/api/v1/reports/{report.id}", "the address of the new report")
    end = time.monotonic() + 60
    while report.state in ("queued", "running"):
        true(time.monotonic() < end, "the report ends")
        time.sleep(0.2)
        report = api.call(admin, "get_report", report.id).parsed
    equal(report.state, "ready", "the state of the report")
    content = api.call(admin, "download_report", report.id).content
    equal(len(content), report.size_bytes, "the size of the report's file")
    true(report.id in [row.id for row in api.call(admin, "list_reports", limit=500).parsed.data], "the report is listed")


def v1_base_stations(api, admin):
    station = api.call(admin, "get_base_station", 1).parsed
    listed = api.call(admin, "list_base_stations", limit=500).parsed.data
    equal([row.serial for row in listed if row.id == 1], [station.serial], "the base station in the list")
    true(api.call(admin, "get_base_station_status", station.id).parsed.status, "the status of the base station")
    for kind, member in [("incursion", "zone"), ("runtime", "started_at"), ("status", "faults"), ("tag_battery", "percent")]:
        entries = api.call(admin, "list_base_station_timeline", station.id, kind=[kind], limit=5).parsed.data
        true(entries, f"the timeline has entries of the kind {kind}")
        for entry in entries:
            true(entry.kind == kind and hasattr(entry, member), f"an entry of the timeline of the kind {kind}")
    true(api.call(admin, "list_tags", state="assigned", limit=1).parsed.data[0].person.name, "a tag that is assigned")


def v1_tester(api, admin, address):
    device = api.call(admin, "create_tester_device", expect=201, body={"name": "Python gate"}).parsed
    issued = api.call(admin, "issue_tester_token", device.id, expect=201).parsed
    equal(issued.device.name, "Python gate", "the device of the token")
    tester = api.with_token(address, issued.token)
    person = api.call(tester, "create_person_asset", expect=201, body={"kind": "staff", "name": "Linus Python"}).parsed
    found = api.call(tester, "list_people_assets", kind="staff", q="linus python").parsed
    equal([row.id for row in found.data], [person.id], "the people called Linus Python")
    assignment = api.call(
        tester, "create_tester_tag_assignment", expect=201, body={"tag_serial": "PY-0001", "person_id": person.id}
    ).parsed
    equal((assignment.person.name, assignment.ended_at), ("Linus Python", None), "the assignment of the tag")
    test = {"tag_serial": "PY-0001", "passed": True, "battery_percent": 87}
    equal(api.call(tester, "create_tag_test", expect=201, body=test).parsed.battery_percent, 87, "the tag test")
    equal(api.call(tester, "get_tester_tag", "PY-0001").parsed.battery_percent, 87, "the tag on the kiosk")
    true(api.call(tester, "delete_tester_tag_assignment", assignment.id).parsed.ended_at, "the assignment has ended")
    visit = {"name": "Vera Python", "tag_serial": "PY-0001", "company": "Visitors Ltd"}
    visit = api.call(tester, "create_tester_visitor_session", expect=201, body=visit).parsed
    gone = api.call(tester, "check_out_tester_visitor", visit.id).parsed
    equal((gone.id, gone.person.name, gone.checked_out_at is None), (visit.id, "Vera Python", False), "the visit")
    api.call(api.with_token(address, "kct_wrong"), "list_people_assets", expect=401)


def v1_service_accounts(api, v2_api, admin, address):
    """A program gets an account and a token of its own in V1, and calls V2 with it."""
    expires_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)
    account = {"name": "Python dashboard", "role": "viewer", "expires_at": expires_at.isoformat()}
    account = api.call(admin, "create_service_account", expect=201, body=account).parsed
    issued = api.call(admin, "issue_service_token", account.id, expect=201, body={"overlap_hours": 1}).parsed
    program = v2_api.with_token(address, issued.token)
    user = v2_api.call(program, "get_session").parsed.user
    equal((user.type_, user.name, user.role), ("service_account", "Python dashboard", "viewer"), "the program that is signed in")
    listed = api.call(admin, "list_service_accounts", q="python dash").parsed.data
    equal([row.id for row in listed], [account.id], "the service accounts called Python dashboard")
    true(listed[0].token.last_used_at, "the last use of the token")
    equal(api.call(admin, "revoke_service_tokens", account.id).parsed.token, None, "the token is revoked")
    v2_api.call(program, "get_session", expect=401)
    true(api.call(admin, "archive_service_account", account.id).parsed.archived_at, "the service account is archived")


def v1(api, v2_api, address, email, password):
    admin = v1_session(api, address, email, password)
    equal(api.call(admin, "get_session").parsed.user.role, "admin", "the role of the session")
    v1_registry(api, admin)
    v1_incursions(api, admin)
    v1_insights(api, admin)
    v1_reports(api, admin)
    v1_base_stations(api, admin)
    v1_tester(api, admin, address)
    v1_service_accounts(api, v2_api, admin, address)
    api.call(admin, "delete_session")
    equal(api.call(admin, "get_session", expect=401).parsed.code, "credentials_invalid", "a session that has ended")


def v2_documents(api, program):
    project = {"data": {"type": "projects", "attributes": {"name": "Python north", "code": "P-2"}}}
    project = api.call(program, "create_project", expect=201, body=project).parsed.data
    change = {"data": {"type": "projects", "id": project.id, "attributes": {"name": "Python far north"}}}
    changed = api.call(program, "change_project", project.id, body=change).parsed.data
    equal((changed.attributes.name, changed.attributes.code), ("Python far north", "P-2"), "the changed project")
    attributes = {"name": "Python dock", "colour": "#ff8800", "kind": "logistics", "time_zone": "UTC"}
    link = {"project": {"data": {"type": "projects", "id": project.id}}}
    site = {"data": {"type": "worksites", "attributes": attributes, "relationships": link}}
    site = api.call(program, "create_worksite", expect=201, body=site).parsed.data
    equal(site.relationships.project.data.id, project.id, "the project of the worksite")
    links = {"data": [{"type": "worksites", "id": site.id}]}
    links = api.call(program, "add_worksite_links", project.id, body=links).parsed
    equal([link.id for link in links.data], [site.id], "the worksites of the project")
    listed = api.call(program, "list_worksites", filterq="python dock", include="project", pagesize=1).parsed
    equal([row.id for row in listed.data], [site.id], "the worksites called Python dock")
    equal(len(listed.included), 1, "the project is included")
    sparse = api.call(program, "list_projects", fieldsprojects="name", filterq="python far north").parsed.data
    equal([row.attributes.name for row in sparse], ["Python far north"], "projects with their names alone")
    # A worksite of the demo has machines.
    full = api.call(program, "get_worksite", "1", include="machines").parsed
    machines = full.data.relationships.machines.data
    equal(len(machines), len(full.included), "the machines of a worksite are included")
    equal(api.call(program, "delete_worksite", site.id).parsed.meta.deleted, True, "a worksite without history is deleted")
    fault = api.call(program, "get_project", "987654321", expect=404).parsed
    equal([error.status for error in fault.errors], ["404"], "a project that does not exist")


def v2_registry(api, program):
    known = api.call(program, "list_machines", filterafter_version=0, pagesize=500).parsed
    link = {"worksite": {"data": {"type": "worksites", "id": "1"}}}
    machine = {"type": "machines", "attributes": {"name": "Python digger", "kind": "excavator"}, "relationships": link}
    machine = api.call(program, "create_machine", expect=201, body={"data": machine}).parsed.data
    found = api.call(program, "list_machines", filterid=[machine.id], include="worksite", pagetotal=True).parsed
    equal(([row.id for row in found.data], found.meta.total), ([machine.id], 1), "the machine by its id")
    equal(found.data[0].relationships.worksite.data.id, found.included[0].id, "the worksite of the machine is included")
    archived = {"type": "machines", "id": machine.id, "attributes": {"archived": True}}
    archived = api.call(program, "change_machine", machine.id, body={"data": archived}).parsed.data
    equal((archived.attributes.archived, archived.relationships.worksite.data), (True, None), "the machine is archived")
    changed = api.call(program, "list_machines", filterafter_version=known.meta.registry_version).parsed
    equal(([row.id for row in changed.data], changed.meta.gone), ([machine.id], []), "the machines that changed, archived or not")

    person = {"type": "people", "attributes": {"kind": "staff", "name": "Grace Python", "employee_id": "PY-1"}}
    person = api.call(program, "create_person", expect=201, body={"data": person}).parsed.data
    company = {"type": "people", "id": person.id, "attributes": {"company": "Compilers"}}
    attributes = api.call(program, "change_person", person.id, body={"data": company}).parsed.data.attributes
    equal((attributes.name, attributes.company), ("Grace Python", "Compilers"), "the changed person")
    listed = api.call(program, "list_people", filterkind=["staff"], filterq="grace python", include="tags", sort=["-created_at"]).parsed
    equal([row.id for row in listed.data], [person.id], "the people called Grace Python")

    tag = {"type": "tags", "attributes": {"serial": "PY-0002", "role": "operator"}}
    tag = api.call(program, "create_tag", expect=201, body={"data": tag}).parsed.data
    retired = {"type": "tags", "id": tag.id, "attributes": {"retired": True}}
    attributes = api.call(program, "change_tag", tag.id, body={"data": retired}).parsed.data.attributes
    equal((attributes.serial, attributes.state), ("PY-0002", "retired"), "the retired tag")
    worn = api.call(program, "list_tags", filterstate=["assigned"], include="person", pagesize=1).parsed
    equal(worn.data[0].relationships.person.data.id, worn.included[0].id, "the wearer of a tag is included")

    # A kiosk had a visitor before.
    visits = api.call(program, "list_visitor_sessions", include="person,tag", pagesize=1).parsed
    equal(sorted(row.type_ for row in visits.included), ["people", "tags"], "the visitor and the tag are included")
    true(visits.data[0].attributes.checked_in_by.type_, "who checked the visitor in")


def v2_incursions(api, program):
    page = api.call(program, "list_incursions", include="machine,worksite", pagesize=3).parsed
    equal(len(page.data), 3, "a page of incursions")
    first = page.data[0]
    names = {row.id: row.attributes.name for row in page.included if row.type_ == "machines"}
    true(names[first.relationships.machine.data.id], "the machine of an incursion is included")
    review = {"review": {"state": "confirmed", "comment": "Seen by a program."}}
    review = {"data": {"type": "incursions", "id": first.id, "attributes": review}}
    reviewed = api.call(program, "change_incursion", first.id, body=review).parsed.data.attributes.review
    equal((reviewed.state, reviewed.comment), ("confirmed", "Seen by a program."), "the review")
    feed = api.call(program, "list_incursions", filterafter_seq=page.meta.seq).parsed
    equal([row.id for row in feed.data], [first.id], "the change feed after the review")
    true(feed.meta.seq > page.meta.seq, "the change feed goes on")
    read = api.call(program, "get_incursion", first.id).parsed.data
    equal(read.attributes.seq, feed.data[0].attributes.seq, "the number of the change")


def v2_map(api, program):
    positions = api.call(program, "list_positions").parsed
    machine = positions.features[0]
    true(machine.properties.name and len(machine.geometry.coordinates) == 2, "the last position of a machine")
    at = machine.properties.at
    period = {"from_": (at - datetime.timedelta(hours=12)).isoformat(), "to": (at + datetime.timedelta(seconds=1)).isoformat()}
    tracks = api.call(program, "get_machine_tracks", machine.id, simplify_m=5.0, **period).parsed
    equal(tracks.type_, "FeatureCollection", "the tracks of the machine")
    for line in tracks.features:
        equal(len(line.geometry.coordinates), len(line.properties.times), "a time at each vertex")
    stations = api.call(program, "list_base_stations", filterinstalled=True, include="machine", pagesize=5).parsed
    machines = {row.id for row in stations.included}
    true({row.relationships.machine.data.id for row in stations.data} == machines, "the machines of base stations are included")


def v2_insights(api, program):
    charts = [chart.key for chart in api.call(program, "list_charts").parsed.charts]
    true({"trends", "hours_of_week", "durations"} <= set(charts), "the list of charts")
    pivot = {"rows": ["worksite"], "measures": ["incursions", "acknowledgement_rate"], "totals": True}
    answer = api.call(program, "make_pivot", body=pivot).parsed
    equal([measure.name for measure in answer.measures], ["incursions", "acknowledgement_rate"], "the measures of the pivot")
    total = sum(row.cells[0][0][0] for row in answer.rows)
    period = period_of(answer)
    trends = api.call(program, "get_trends_chart", interval="day", metric=["incursions"], **period).parsed
    equal(sum(point.value or 0 for point in trends.series[0].points), total, "the chart adds up to the pivot")
    totals = api.call(program, "get_insight_totals", compare="previous", **period).parsed
    equal(totals.metrics["incursions"].value, total, "the total is that of the pivot")
    true(totals.previous.from_ < totals.from_, "the previous period")
    trends = api.call(program, "get_insight_trends", interval="week", metric=["incursions"], **period).parsed
    equal(sum(point.value or 0 for point in trends.series[0].points), total, "the weeks add up to the pivot")
    rows = api.call(program, "get_insight_breakdown", by="zone", metric=["incursions"], limit=100, **period).parsed.rows
    equal(sum(row.metrics["incursions"].value for row in rows), total, "the zones add up to the pivot")
    week = api.call(program, "get_hours_of_week_chart", **period).parsed
    equal(sum(point.value or 0 for series in week.series for point in series.points), total, "the hours add up to the pivot")
    outliers = api.call(program, "get_outliers", by=["machine"]).parsed
    true(outliers.judged > 0 and outliers.formula, "the outliers")

    view = {"name": "Python view", "kind": "pivot", "definition": pivot}
    view = {"data": {"type": "saved_views", "attributes": view}}
    view = api.call(program, "create_saved_view", expect=201, body=view).parsed.data
    result = api.call(program, "run_saved_view", view=int(view.id)).parsed
    equal((result.view.name, len(result.rows)), ("Python view", len(answer.rows)), "the result of the saved view")
    true(view.id in [row.id for row in api.call(program, "list_saved_views").parsed.data], "the view is listed")
    api.call(program, "delete_saved_view", view.id)

    export = {"kind": "pivot", "format": "csv", "pivot": {"rows": ["worksite"], "measures": ["incursions"]}}
    export = api.call(program, "request_export", expect=201, body=export).parsed
    end = time.monotonic() + 60
    while export.state in ("queued", "running"):
        true(time.monotonic() < end, "the export ends")
        time.sleep(0.2)
        export = api.call(program, "get_export", export.id).parsed
    equal(export.state, "done", "the state of the export")
    content = api.call(program, "download_export", export.id).content
    equal(len(content), export.size_bytes, "the size of the file")


def v2_base_stations(api, program):
    page = api.call(program, "get_base_station_page", 1).parsed
    true(page.id == 1 and page.serial and page.last_30_days, "the page of the base station")
    events = api.call(program, "list_base_station_events", 1, kind=["incursion"], limit=2).parsed.data
    equal([event.kind for event in events], ["incursion", "incursion"], "the events of the base station")
    one = api.call(program, "get_base_station_event", 1, events[0].event_id).parsed
    equal(one.event.event_id, events[0].event_id, "one event")
    at = events[0].at
    period = {"from_": (at - datetime.timedelta(hours=12)).isoformat(), "to": at.isoformat()}
    equal(api.call(program, "get_gps_tracks", 1, **period).parsed.type_, "FeatureCollection", "the tracks")


def v2(api, address, email, password):
    login = api.call(api.anonymous(address), "log_in", body={"email": email, "password": password})
    refreshed = api.call(api.anonymous(address), "refresh", refresh_token=login.headers["RefreshToken"])
    program = api.with_token(address, refreshed.headers["AccessToken"])
    session = api.call(program, "get_session").parsed
    equal((session.user.email, session.user.role), (email, "admin"), "the user of the token")
    true(session.expires_at > datetime.datetime.now(datetime.timezone.utc), "the token is valid")
    v2_documents(api, program)
    v2_registry(api, program)
    v2_incursions(api, program)
    v2_map(api, program)
    v2_insights(api, program)
    v2_base_stations(api, program)
    preferences = api.call(program, "get_user_preferences").parsed.data
    change = {"data": {"type": "user_preferences", "id": preferences.id, "attributes": {"units": "imperial"}}}
    changed = api.call(program, "change_user_preferences", body=change).parsed.data.attributes
    equal((changed.units, changed.language), ("imperial", preferences.attributes.language), "the changed preferences")
    api.call(program, "log_out")
    api.call(program, "get_session", expect=401)


def ingest(api, v1_api, address, email, password):
    admin = v1_session(v1_api, address, email, password)
    station = v1_api.call(admin, "get_base_station", 1).parsed
    tag = v1_api.call(admin, "list_tags", state="assigned", limit=1).parsed.data[0]
    device = api.with_token(address, v1_api.call(admin, "issue_station_token", station.id, expect=201).parsed.token)

    now = datetime.datetime.now(datetime.timezone.utc)
    times = {minutes: (now - datetime.timedelta(minutes=minutes)).isoformat() for minutes in (1, 2, 3, 500 * 24 * 60)}
    events = [
        {"uid": "py-1", "kind": "incursion", "tag": tag.serial, "started_at": times[3], "ended_at": times[2], "zone": "danger"},
        {"uid": "py-2", "kind": "runtime", "started_at": times[3], "ended_at": times[1]},
        {"uid": "py-3", "kind": "gps", "at": times[2], "fixes": [[times[2], 52.5, 13.4]]},
        {"uid": "py-4", "kind": "status", "at": times[1], "firmware": "9.9.9", "faults": []},
        {"uid": "py-5", "kind": "log", "at": times[500 * 24 * 60], "code": "old", "severity": "info", "text": "Too old."},
    ]
    result = api.call(device, "ingest_events", body=events).parsed
    equal((result.accepted, result.duplicates), (4, 0), "the events that were accepted")
    equal([(row.index, row.uid, row.code) for row in result.rejected], [(4, "py-5", "bad_time")], "the event that was rejected")
    again = api.call(device, "ingest_events", body=events[:4]).parsed
    equal((again.accepted, again.duplicates), (0, 4), "the same events again")
    newest = v1_api.call(admin, "list_incursions", base_station_id=[station.id], limit=1).parsed.data[0]
    equal((newest.uid, newest.tag.serial, newest.zone), ("py-1", tag.serial, "danger"), "the incursion that was sent")

    message = {"body": "Please call the office."}
    message = v1_api.call(admin, "create_message", station.id, expect=201, body=message).parsed
    clips = [
        v1_api.call(admin, "request_video_clip", station.id, expect=201, body=clip).parsed
        for clip in ({"incursion_id": newest.id}, {"from": times[3], "to": times[2], "camera": station.cameras[0]})
    ]
    commands = api.call(device, "fetch_commands", wait=5).parsed
    equal([row.id for row in commands.messages], [message.id], "the message that waits")
    equal(sorted(row.id for row in commands.video_clips), sorted(clip.id for clip in clips), "the clips that are requested")
    receipt = {"uid": "py-6", "kind": "receipt", "message_id": message.id, "state": "acknowledged", "at": times[1]}
    equal(api.call(device, "ingest_events", body=[receipt]).parsed.accepted, 1, "the receipt of the message")

    video = b"\0\0\0\x18ftypisom\0\0\x02\0isommp42\0\0\0\x08free"
    upload = {"body": api.file(video, "video/mp4"), "x_content_sha256": hashlib.sha256(video).hexdigest()}
    uploaded = api.call(device, "put_video_clip", clips[0].id, **upload).parsed
    equal((uploaded.state, uploaded.size_bytes), ("available", len(video)), "the clip that was sent")
    equal(v1_api.call(admin, "get_video_clip_content", clips[0].id).content, video, "the clip that is read")
    failed = api.call(device, "fail_video_clip", clips[1].id, body={"reason": "The camera is dirty."}).parsed
    equal(failed.state, "failed", "the clip that failed")
    api.call(api.with_token(address, "kcs_wrong"), "fetch_commands", expect=401)


def main():
    folder, *login = sys.argv[1:]
    sys.path.insert(0, folder)
    apis = {name: Api(f"keepclear_{name}") for name in ("v1", "v2", "ingest")}
    v1(apis["v1"], apis["v2"], *login)
    v2(apis["v2"], *login)
    print(", ".join(f"{name}: {api.calls} calls" for name, api in apis.items() if name != "ingest"), end="")
    ingest(apis["ingest"], apis["v1"], *login)
    print(f", ingest: {apis['ingest'].calls} calls")


main()
