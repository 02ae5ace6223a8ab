"""Works on projects and worksites through jsonapi-client, a JSON:API client from PyPI. Fails if anything is not as it should be."""

import sys

from jsonapi_client import Inclusion, Modifier, Session
from jsonapi_client.exceptions import DocumentError

address, token = sys.argv[1:]


def is_equal(found, expected):
    if found != expected:
        raise SystemExit(f"{found!r} is not {expected!r}")


# What the client is told of the fields, so that it knows which of them are relationships.
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

session = Session(address, schema=SCHEMA, request_kwargs={"headers": {"Authorization": f"Bearer {token}"}})

north = session.create_and_commit("projects", name="Python north", code="P-1")
south = session.create_and_commit("projects", name="Python south")
for name in ["Python a", "Python b", "Python c"]:
    session.create_and_commit(
        "worksites",
        fields={"name": name, "colour": "#ff8800", "kind": "logistics", "time_zone": "UTC", "project": north},
    )

query = Inclusion("project") + Modifier("filter[q]=python&sort=-name&page[size]=2&fields[worksites]=name,project")
document = session.get("worksites", query)
is_equal([site.name for site in document.resources], ["Python c", "Python b"])
is_equal({one.type for one in document.included}, {"projects"})
is_equal(document.resources[0].project.name, "Python north")
is_equal(document.resources[0].colour, None)
is_equal([site.name for site in document.iterator()], ["Python c", "Python b", "Python a"])

north.name = "Python far north"
north.commit()
is_equal(session.get("projects", north.id).resource.name, "Python far north")

site = document.resources[0]
site.project = south
site.commit()
related = session.fetch_document_by_url(f"{address}/projects/{south.id}/worksites")
is_equal([one.id for one in related.resources], [site.id])

for path, status in [("projects/987654", 404), ("projects?sort=x", 400)]:
    try:
        session.fetch_document_by_url(f"{address}/{path}")
    except DocumentError as error:
        is_equal(error.errors["status_code"], status)
    else:
        raise SystemExit(f"{path} was answered")
print("done")
