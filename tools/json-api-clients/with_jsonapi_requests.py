"""Saves what it loaded with jsonapi-requests, a JSON:API client from PyPI that sends a resource back as it is. Fails on an unexpected response."""

import sys

from jsonapi_requests import orm, request_factory
from requests.auth import AuthBase

base_url, token = sys.argv[1:]


def assert_equal(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


class Bearer(AuthBase):
    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {token}"
        return request


api = orm.OrmApi.config({"API_ROOT": base_url, "AUTH": Bearer(), "APPEND_SLASH": False, "TIMEOUT": 30})


class Project(orm.ApiModel):
    class Meta:
        type = "projects"
        api = api

    name = orm.AttributeField("name")
    created_at = orm.AttributeField("created_at")
    updated_at = orm.AttributeField("updated_at")


class Worksite(orm.ApiModel):
    class Meta:
        type = "worksites"
        api = api

    name = orm.AttributeField("name")
    colour = orm.AttributeField("colour")
    kind = orm.AttributeField("kind")
    time_zone = orm.AttributeField("time_zone")
    updated_at = orm.AttributeField("updated_at")
    project = orm.RelationField("project")


class Machine(orm.ApiModel):
    class Meta:
        type = "machines"
        api = api

    name = orm.AttributeField("name")
    kind = orm.AttributeField("kind")
    created_at = orm.AttributeField("created_at")
    updated_at = orm.AttributeField("updated_at")
    worksite = orm.RelationField("worksite")


class Person(orm.ApiModel):
    class Meta:
        type = "people"
        api = api

    name = orm.AttributeField("name")
    kind = orm.AttributeField("kind")
    created_at = orm.AttributeField("created_at")
    updated_at = orm.AttributeField("updated_at")


class Tag(orm.ApiModel):
    class Meta:
        type = "tags"
        api = api

    serial = orm.AttributeField("serial")
    role = orm.AttributeField("role")
    created_at = orm.AttributeField("created_at")
    updated_at = orm.AttributeField("updated_at")


def load(model, id):
    found = model.from_id(id)
    found.refresh()
    return found


project = Project()
project.name = "Requests north"
project.save()
site = Worksite()
site.name, site.colour, site.kind, site.time_zone = "Requests quay", "#ff8800", "logistics", "UTC"
site.project = project
site.save()

machine, person, tag = Machine(), Person(), Tag()
machine.name, machine.kind, machine.worksite = "Requests digger", "excavator", site
person.name, person.kind = "Ada Requests", "staff"
tag.serial, tag.role = "REQUESTS-1", "pedestrian"
for made in (machine, person, tag):
    made.save()

for model, made in [(Project, project), (Worksite, site), (Machine, machine), (Person, person), (Tag, tag)]:
    loaded = load(model, made.id)
    updated_at = loaded.updated_at
    loaded.save()
    assert_equal(load(model, made.id).updated_at, updated_at)

site = load(Worksite, site.id)
site.name = "Requests pier"
site.save()
assert_equal((load(Worksite, site.id).name, load(Worksite, site.id).project.id), ("Requests pier", project.id))

CHANGES = [(Machine, machine, "name", "Requests crane"), (Person, person, "kind", "visitor"), (Tag, tag, "role", "operator")]
for model, made, field, value in CHANGES:
    changed = load(model, made.id)
    setattr(changed, field, value)
    changed.save()
    assert_equal(getattr(load(model, made.id), field), value)
assert_equal(load(Machine, machine.id).worksite.id, site.id)

for model, made in [(Project, project), (Machine, machine), (Person, person), (Tag, tag)]:
    dated = load(model, made.id)
    dated.created_at = "2020-01-01T00:00:00Z"
    try:
        dated.save()
    except request_factory.ApiClientError as error:
        assert_equal(error.status_code, 422)
    else:
        raise SystemExit("the time of creation was changed")
print("done")
