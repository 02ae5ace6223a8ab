"""The peer of the documents benchmark: the list of worksites in Django REST framework JSON:API, with the models of `django_peer`.

    gunicorn --chdir bench/peer documents:application       with PEER_SQLITE=FILE, or PEER_POSTGRES=SOCKET_FOLDER/DATABASE

It returns the same resource objects as Keepclear. It is written to be fast where the package allows it: projects are joined, pages
use a cursor (the pagination of the package counts all rows), fields are declared instead of derived from the models for each
resource, and links are built without resolving routes. The caller is identified by the session in the token, whose signature is
not checked.
"""

import base64
import json
import time

# This import configures Django, so it comes before those of Django. gunicorn loads `application`.
from django_peer import Machine, Project, Session, Worksite, application, iso, urlpatterns  # noqa: F401

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
    """Authenticates the session that an access token names."""

    def authenticate(self, request):
        try:
            claims = request.META["HTTP_AUTHORIZATION"].removeprefix("Bearer ").split(".")[1]
            session = json.loads(base64.urlsafe_b64decode(claims + "=="))["sid"]
        except (KeyError, IndexError, ValueError):
            raise exceptions.AuthenticationFailed() from None
        active = Session.objects.filter(id=session, ended_at=None, kind="jwt", expires_at__gt=time.time_ns() // 1000)
        found = active.filter(user__state="active").only("brand_id").first()
        if found is None:
            raise exceptions.AuthenticationFailed()
        return found, None

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


class LinkedField:
    """A relationship with links."""

    def __init__(self, collection, model):
        super().__init__(read_only=True)
        self.collection, self.model = collection, model

    def get_links(self, row=None, lookup_field="pk"):
        resource_url, name = f"{self.collection}/{row.id}", self.field_name
        return {"self": f"{resource_url}/relationships/{name}", "related": f"{resource_url}/{name}"}


class ToOneField(LinkedField, ResourceRelatedField):
    # The package would derive the type from the plural of the field name, for each row.
    def get_resource_type_from_included_serializer(self):
        return "projects"


class ToManyField(LinkedField, HyperlinkedRelatedField):
    pass


class ProjectDocument(serializers.Serializer):
    url = SelfLinkField(PROJECTS)
    name = RawField()
    code = RawField()
    archived = ArchivedField()
    archived_at = MicrosField()
    created_at = MicrosField()
    updated_at = MicrosField()
    worksites = ToManyField(PROJECTS, Worksite)

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
    project = ToOneField(WORKSITES, Project)
    machines = ToManyField(WORKSITES, Machine)

    included_serializers = {"project": ProjectDocument}

    class Meta:
        resource_name = "worksites"


class CursorPages(CursorPagination):
    ordering = ("name_key", "id")
    page_size, max_page_size = 50, 500
    page_size_query_param, cursor_query_param = "page[size]", "page[after]"

    def get_paginated_response(self, data):
        return Response({"results": data, "links": {"prev": self.get_previous_link(), "next": self.get_next_link()}})


class WorksiteList(generics.ListAPIView):
    authentication_classes = [AccessToken]
    pagination_class = CursorPages
    renderer_classes = [JSONRenderer]
    serializer_class = WorksiteDocument

    def get_queryset(self):
        rows = Worksite.objects.filter(brand_id=self.request.user.brand_id, archived_at=None)
        return rows.select_related("project") if "include" in self.request.query_params else rows


urlpatterns.append(path("api/v2/worksites", WorksiteList.as_view()))
