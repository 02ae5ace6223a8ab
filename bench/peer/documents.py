"""The peer of the JSON:API benchmarks: the lists of worksites and incursions in Django REST framework JSON:API, with the models of
`django_peer`.

    gunicorn --chdir bench/peer documents:application       with PEER_SQLITE=FILE, or PEER_POSTGRES=SOCKET_FOLDER/DATABASE

It returns the same resource objects as Keepclear. It is written to be fast where the package allows it: related rows are joined or
read with one statement for each table, pages use a cursor (the pagination of the package counts all rows), fields and types are
declared instead of derived from the models for each resource, and links are built without resolving routes. The caller is
identified by the session in the token, whose signature is not checked. The `meta` of a list of incursions is left out.
"""

import base64
import json
import time
import types

# This import configures Django, so it comes before those of Django. gunicorn loads `application`.
from django_peer import (  # noqa: F401
    REVIEWS, ZONES, Incursion, IncursionHistory, IncursionReview, Installation, Machine, MachineAssignment, Session, VideoClip, Worksite,
    application, day, iso, shape_clip, shape_review, urlpatterns,
)

from django.db.models import OuterRef, Prefetch, Subquery
from django.db.models.functions import Coalesce
from django.urls import path
from rest_framework import authentication, exceptions, generics
from rest_framework.fields import Field
from rest_framework.pagination import CursorPagination
from rest_framework.relations import HyperlinkedIdentityField, PKOnlyObject
from rest_framework.response import Response
from rest_framework_json_api import serializers
from rest_framework_json_api.relations import HyperlinkedRelatedField, ResourceRelatedField
from rest_framework_json_api.renderers import JSONRenderer

INCURSIONS, MACHINES, WORKSITES, PROJECTS = "/api/v2/incursions", "/api/v2/machines", "/api/v2/worksites", "/api/v2/projects"
DAY_US = 86_400_000_000


class AccessToken(authentication.BaseAuthentication):
    """Authenticates the session that an access token names. It is looked up once per minute, as Keepclear does."""

    sessions = {}

    def authenticate(self, request):
        token = request.META.get("HTTP_AUTHORIZATION", "")
        found, until = self.sessions.get(token, (None, 0))
        if time.monotonic() >= until:
            found = self.find_session(token)
            self.sessions[token] = found, time.monotonic() + 60
        return found, None

    def find_session(self, token):
        try:
            claims = token.removeprefix("Bearer ").split(".")[1]
            session = json.loads(base64.urlsafe_b64decode(claims + "=="))["sid"]
        except (KeyError, IndexError, ValueError):
            raise exceptions.AuthenticationFailed() from None
        active = Session.objects.filter(id=session, ended_at=None, kind="jwt", expires_at__gt=time.time_ns() // 1000)
        found = active.filter(user__state="active").only("brand_id").first()
        if found is None:
            raise exceptions.AuthenticationFailed()
        return found

    def authenticate_header(self, request):
        return "Bearer"


class RawField(Field):
    """A column without conversion."""

    def to_representation(self, value):
        return value


class MicrosField(Field):
    def to_representation(self, micros):
        return iso(micros)


class ArchivedField(RawField):
    def get_attribute(self, row):
        return row.archived_at is not None


class SelfLinkField(HyperlinkedIdentityField):
    """The link of a resource to itself."""

    def __init__(self, collection):
        super().__init__(view_name="")
        self.collection = collection

    def get_attribute(self, row):
        return row

    def to_representation(self, row):
        return f"{self.collection}/{row.id}"


class TypedField:
    """A relationship to resources of a type. The package looks the type up for each row, and finds it here first."""

    def __init__(self, resource_type):
        super().__init__(read_only=True)
        self.Meta = types.SimpleNamespace(resource_name=resource_type)

    # The package would derive the type from the plural of the field name, for each row.
    def get_resource_type_from_included_serializer(self):
        return self.Meta.resource_name


class LinkedField(TypedField):
    """A relationship with links."""

    def __init__(self, collection, resource_type):
        super().__init__(resource_type)
        self.collection = collection

    def get_links(self, row=None, lookup_field="pk"):
        resource_url, name = f"{self.collection}/{row.id}", self.field_name
        return {"self": f"{resource_url}/relationships/{name}", "related": f"{resource_url}/{name}"}


class ToOneField(LinkedField, ResourceRelatedField):
    pass


class ToManyField(LinkedField, HyperlinkedRelatedField):
    pass


class LinkageField(TypedField, ResourceRelatedField):
    """A relationship to one resource, without links. Its id is in the column with the name of the field and `_id`."""

    def get_attribute(self, row):
        return PKOnlyObject(getattr(row, f"{self.field_name}_id"))

    def get_links(self, row=None, lookup_field="pk"):
        return None


class ProjectDocument(serializers.Serializer):
    url = SelfLinkField(PROJECTS)
    name = RawField()
    code = RawField()
    archived = ArchivedField()
    archived_at = MicrosField()
    created_at = MicrosField()
    updated_at = MicrosField()
    worksites = ToManyField(PROJECTS, "worksites")

    class Meta:
        resource_name = "projects"


class WorksiteDocument(serializers.Serializer):
    url = SelfLinkField(WORKSITES)
    name = RawField()
    colour = RawField()
    kind = RawField()
    time_zone = RawField()
    area_m2 = RawField()
    technical_contact = RawField()
    archived = ArchivedField()
    archived_at = MicrosField()
    created_at = MicrosField()
    updated_at = MicrosField()
    project = ToOneField(WORKSITES, "projects")
    machines = ToManyField(WORKSITES, "machines")

    included_serializers = {"project": ProjectDocument}

    class Meta:
        resource_name = "worksites"


class MachineDocument(serializers.Serializer):
    url = SelfLinkField(MACHINES)
    name = RawField()
    kind = RawField()
    serial_number = RawField()
    manufacturer = RawField()
    model = RawField()
    year = RawField()
    number_plate = RawField()
    archived = ArchivedField()
    archived_at = MicrosField()
    created_at = MicrosField()
    updated_at = MicrosField()
    worksite = LinkageField("worksites")
    base_station = LinkageField("base_stations")

    class Meta:
        resource_name = "machines"


class RowField(Field):
    """A value that is computed from the row."""

    def __init__(self, compute):
        super().__init__(read_only=True)
        self.compute = compute

    def get_attribute(self, row):
        return row

    def to_representation(self, row):
        return self.compute(row)


def milliseconds_until(row, at):
    return at and (at - row.started_at) // 1000


def last_review(row):
    return shape_review(row.reviews[-1]) if row.reviews else {"state": REVIEWS[row.review], "by": None, "at": None, "comment": None}


class IncursionDocument(serializers.Serializer):
    url = SelfLinkField(INCURSIONS)
    seq = RawField()
    uid = RawField()
    started_at = MicrosField()
    ended_at = MicrosField()
    closed_without_end = RowField(lambda row: row.closed_at is not None and row.ended_at is None)
    duration_ms = RowField(lambda row: milliseconds_until(row, row.ended_at))
    local_day = RowField(lambda row: day(row.local_day))
    acknowledged = RowField(lambda row: row.acknowledged_at is not None)
    acknowledged_at = MicrosField()
    ack_ms = RowField(lambda row: milliseconds_until(row, row.acknowledged_at))
    zone = RowField(lambda row: ZONES[row.zone])
    closest_cm = RawField()
    position = RowField(lambda row: row.lat_e7 and {"lat": row.lat_e7 / 1e7, "lon": row.lon_e7 / 1e7})
    review = RowField(last_review)
    received_at = MicrosField()
    clips = RowField(lambda row: [shape_clip(clip) for clip in row.clips])
    created_at = RowField(lambda row: iso(row.received_at))
    updated_at = MicrosField()
    machine = LinkageField("machines")
    base_station = LinkageField("base_stations")
    tag = LinkageField("tags")
    operator_tag = LinkageField("tags")
    pedestrian = LinkageField("people")
    operator = LinkageField("people")
    worksite = LinkageField("worksites")
    project = LinkageField("projects")

    included_serializers = {"machine": MachineDocument, "worksite": WorksiteDocument}

    class Meta:
        resource_name = "incursions"


class CursorPages(CursorPagination):
    ordering = ("name_key", "id")
    page_size, max_page_size = 50, 500
    page_size_query_param, cursor_query_param = "page[size]", "page[after]"

    def get_paginated_response(self, data):
        return Response({"results": data, "links": {"prev": self.get_previous_link(), "next": self.get_next_link()}})


class NewestFirstPages(CursorPages):
    ordering = ("-started_at", "-id")


class DocumentList(generics.ListAPIView):
    authentication_classes = [AccessToken]
    pagination_class = CursorPages
    renderer_classes = [JSONRenderer]


class WorksiteList(DocumentList):
    serializer_class = WorksiteDocument

    def get_queryset(self):
        rows = Worksite.objects.filter(brand_id=self.request.user.brand_id, archived_at=None)
        return rows.select_related("project") if "include" in self.request.query_params else rows


class IncursionList(DocumentList):
    """The incursions of the last 28 days that were not dismissed."""

    pagination_class = NewestFirstPages
    serializer_class = IncursionDocument

    def get_queryset(self):
        brand, since = self.request.user.brand_id, time.time_ns() // 1000 - 28 * DAY_US
        changes = IncursionHistory.objects.filter(brand_id=brand, replaced_seq=OuterRef("seq")).order_by("-replaced_at")
        rows = Incursion.objects.filter(brand_id=brand, started_at__gte=since, review__in=(0, 1)).annotate(
            updated_at=Coalesce(Subquery(changes.values("replaced_at")[:1]), "received_at")
        )
        rows_of = lambda table: table.objects.filter(brand_id=brand).order_by("id")
        include = self.request.query_params.get("include", "").split(",")
        related = {"machine": self.machines(), "worksite": Worksite.objects.all()}
        return rows.prefetch_related(
            Prefetch("incursionreview_set", rows_of(IncursionReview).select_related("user"), to_attr="reviews"),
            Prefetch("videoclip_set", rows_of(VideoClip), to_attr="clips"),
            *(Prefetch(name, related[name]) for name in include if name in related),
        )

    def machines(self):
        """Return machines with the ids of the worksite and the base station that they have now."""
        current = lambda table, column: Subquery(table.objects.filter(machine=OuterRef("id"), to_at=None).values(column))
        return Machine.objects.annotate(
            worksite_id=current(MachineAssignment, "worksite_id"), base_station_id=current(Installation, "base_station_id")
        )


urlpatterns += [
    path("api/v2/incursions", IncursionList.as_view()),
    path("api/v2/worksites", WorksiteList.as_view()),
]
