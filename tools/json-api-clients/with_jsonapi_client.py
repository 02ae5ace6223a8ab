"""Read and write projects and worksites with jsonapi-client, a JSON:API client from PyPI. Fails on an unexpected response."""

import sys

from jsonapi_client import Inclusion, Modifier, Session
from jsonapi_client.exceptions import DocumentError

base_url, token = sys.argv[1:]


def assert_equal(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


# The client needs to know which fields are relationships.
SCHEMA = {
    "projects": {"properties": {"name": {}, "code": {}}},
    "worksites": {
        "properties": {
            "name": {},
            "colour": {},
            "kind": {},
            "time_zone": {},
            "project": {"relation": "to-one", "resource": ["projects"]},
        }
    },
}

session = Session(base_url, schema=SCHEMA, request_kwargs={"headers": {"Authorization": f"Bearer {token}"}})

north = session.create_and_commit("projects", name="Python north", code="P-1")
south = session.create_and_commit("projects", name="Python south")
for name in ["Python a", "Python b", "Python c"]:
    session.create_and_commit(
        "worksites",
        fields={"name": name, "colour": "#ff8800", "kind": "logistics", "time_zone": "UTC", "project": north},
    )

query = Inclusion("project") + Modifier("filter[q]=python&sort=-name&page[size]=2&fields[worksites]=name,project")
document = session.get("worksites", query)
assert_equal([site.name for site in document.resources], ["Python c", "Python b"])
assert_equal({resource.type for resource in document.included}, {"projects"})
assert_equal(document.resources[0].project.name, "Python north")
assert_equal(document.resources[0].colour, None)
assert_equal([site.name for site in document.iterator()], ["Python c", "Python b", "Python a"])

north.name = "Python far north"
north.commit()
assert_equal(session.get("projects", north.id).resource.name, "Python far north")

site = document.resources[0]
site.project = south
site.commit()
related = session.fetch_document_by_url(f"{base_url}/projects/{south.id}/worksites")
assert_equal([resource.id for resource in related.resources], [site.id])

for path, status in [("projects/987654", 404), ("projects?sort=x", 400)]:
    try:
        session.fetch_document_by_url(f"{base_url}/{path}")
    except DocumentError as error:
        assert_equal(error.errors["status_code"], status)
    else:
        raise SystemExit(f"{path} did not fail")
print("done")
