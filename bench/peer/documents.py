"""The peer of documents: the list of worksites in Django REST framework JSON:API, over the tables of `django_peer`.

    gunicorn --chdir bench/peer documents:application       with PEER_SQLITE=FILE, or PEER_POSTGRES=SOCKET_FOLDER/DATABASE

The same resource objects, member for member. Written to be quick where the package allows it: projects come by one join, pages
by a cursor (the package's own pages count all rows), fields are named rather than found out from models at each resource, and
links are put together without a look at the routes. Who asks is found by the session that the token names, though its
signature is not checked.
"""

import base64
import json
import time

# First: it configures Django.
from django_peer import Machine, Project, Session, Worksite, application, iso, urlpatterns

from django.urls import path
from rest_framework import authentication, exceptions, generics
from rest_framework.fields import Field
from rest_framework.pagination import CursorPagination
from rest_framework.relations import HyperlinkedIdentityField
from rest_framework.response import Response
from rest_framework_json_api import serializers
from rest_framework_json_api.relations import HyperlinkedRelatedField, ResourceRelatedField
from rest_framework_json_api.renderers import JSONRenderer

WORKSITES, PROJECTS = "/api/v2/worksites", "/api/v2/projects"


class AccessToken(authentication.BaseAuthentication):
    """Whose session a token is of."""

    def authenticate(self, request):
        try:
            claims = request.META["HTTP_AUTHORIZATION"].removeprefix("Bearer ").split(".")[1]
            session = json.loads(base64.urlsafe_b64decode(claims + "=="))["sid"]
        except (KeyError, IndexError, ValueError):
            raise exceptions.AuthenticationFailed() from None
        alive = Session.objects.filter(id=session, ended_at=None, kind="jwt", expires_at__gt=time.time_ns() // 1000)
        found = alive.filter(user__state="active").only("brand_id").first()
        if found is None:
            raise exceptions.AuthenticationFailed()
        return found, None

    def authenticate_header(self, request):
        return "Bearer"


class Plain(Field):
    """A column as it is."""

    def to_representation(self, value):
        return value


class Time(Field):
    def to_representation(self, micros):
        return iso(micros)


class Archived(Plain):
    def get_attribute(self, row):
        return row.archived_at is not None


class Own(HyperlinkedIdentityField):
    """The link to a resource itself."""

    def __init__(self, collection):
        super().__init__(view_name="")
        self.collection = collection

    def get_attribute(self, row):
        return row

    def to_representation(self, row):
        return f"{self.collection}/{row.id}"


class Linked:
    """The links of a relationship."""

    def __init__(self, collection, model):
        super().__init__(read_only=True)
        self.collection, self.model = collection, model

    def get_links(self, row=None, lookup_field="pk"):
        own, name = f"{self.collection}/{row.id}", self.field_name
        return {"self": f"{own}/relationships/{name}", "related": f"{own}/{name}"}


class One(Linked, ResourceRelatedField):
    # The package looks it up by the plural of the field's name, at each row.
    def get_resource_type_from_included_serializer(self):
        return "projects"


class Many(Linked, HyperlinkedRelatedField):
    pass


class ProjectDocument(serializers.Serializer):
    url = Own(PROJECTS)
    name = Plain()
    code = Plain()
    archived = Archived()
    archived_at = Time()
    created_at = Time()
    updated_at = Time()
    worksites = Many(PROJECTS, Worksite)

    class Meta:
        resource_name = "projects"


class WorksiteDocument(serializers.Serializer):
    url = Own(WORKSITES)
    name = Plain()
    colour = Plain()
    kind = Plain()
    time_zone = Plain()
    area_m2 = Plain()
    technical_contact = Plain()
    archived = Archived()
    archived_at = Time()
    created_at = Time()
    updated_at = Time()
    project = One(WORKSITES, Project)
    machines = Many(WORKSITES, Machine)

    included_serializers = {"project": ProjectDocument}

    class Meta:
        resource_name = "worksites"


class Pages(CursorPagination):
    ordering = ("name_key", "id")
    page_size, max_page_size = 50, 500
    page_size_query_param, cursor_query_param = "page[size]", "page[after]"

    def get_paginated_response(self, data):
        return Response({"results": data, "links": {"prev": self.get_previous_link(), "next": self.get_next_link()}})


class Worksites(generics.ListAPIView):
    authentication_classes = [AccessToken]
    pagination_class = Pages
    renderer_classes = [JSONRenderer]
    serializer_class = WorksiteDocument

    def get_queryset(self):
        rows = Worksite.objects.filter(brand_id=self.request.user.brand_id, archived_at=None)
        return rows.select_related("project") if "include" in self.request.query_params else rows


urlpatterns.append(path("api/v2/worksites", Worksites.as_view()))
