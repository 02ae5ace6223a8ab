"""The peer: three endpoints of Keepclear in Django REST framework, over a copy of the same database.

    gunicorn --chdir bench/peer django_peer:application       with PEER_SQLITE=FILE, or PEER_POSTGRES=SOCKET_FOLDER/DATABASE

It has the same tables, indexes, checks, transaction and responses. It is written to be fast: no middleware, persistent
connections, only the necessary columns, no serializers for rows. It omits rate limits, request ids in headers, the access log
and the seal of the audit log.
"""

import base64
import hashlib
import json
import os
import re
import time
import uuid
from datetime import datetime, timezone

import django
from django.conf import settings


def database():
    if "PEER_SQLITE" in os.environ:
        pragmas = "pragma journal_mode = wal; pragma synchronous = full"
        options = {"transaction_mode": "IMMEDIATE", "timeout": 10, "init_command": pragmas}
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["PEER_SQLITE"], "OPTIONS": options, "CONN_MAX_AGE": None}
    folder, name = os.path.split(os.environ["PEER_POSTGRES"])
    return {"ENGINE": "django.db.backends.postgresql", "HOST": folder, "NAME": name, "USER": "keepclear", "CONN_MAX_AGE": None}


settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": database()},
    DEBUG=False,
    LOGGING_CONFIG=None,
    MIDDLEWARE=[],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF="django_peer",
    SECRET_KEY="for a measurement",
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.db import models, transaction
from django.urls import path
from rest_framework import authentication, exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import APIView

application = get_wsgi_application()


class Table(models.Model):
    """A table that the migrations of Keepclear created."""

    class Meta:
        abstract = True
        app_label = "peer"
        managed = False


class Token(Table):
    brand_id = models.BigIntegerField()
    kind = models.TextField()
    device_id = models.BigIntegerField()
    hash = models.BinaryField()
    ended_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "device_tokens"


class Counters(Table):
    brand_id = models.BigIntegerField(primary_key=True)
    registry_version = models.BigIntegerField()

    class Meta(Table.Meta):
        db_table = "brand_counters"


class Person(Table):
    brand_id = models.BigIntegerField()
    kind = models.TextField()
    name = models.TextField()
    name_key = models.TextField()
    employee_id = models.TextField(null=True)
    email = models.TextField(null=True)
    company = models.TextField(null=True)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    archived_at = models.BigIntegerField(null=True)
    erased_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "people"


class Tag(Table):
    brand_id = models.BigIntegerField()
    serial = models.TextField()
    serial_key = models.TextField()
    role = models.TextField(default="pedestrian")
    version = models.BigIntegerField(default=1)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    retired_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "tags"


class TagAssignment(Table):
    brand_id = models.BigIntegerField()
    tag = models.ForeignKey(Tag, models.DO_NOTHING)
    person = models.ForeignKey(Person, models.DO_NOTHING)
    assigned_at = models.BigIntegerField()
    assigned_by_kind = models.TextField()
    assigned_by_id = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True)
    ended_by_kind = models.TextField(null=True)
    ended_by_id = models.BigIntegerField(null=True)
    version = models.BigIntegerField(default=1)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()

    class Meta(Table.Meta):
        db_table = "tag_assignments"


class Audit(Table):
    brand_id = models.BigIntegerField()
    at = models.BigIntegerField()
    actor_kind = models.TextField()
    actor_id = models.BigIntegerField()
    action = models.TextField()
    target_kind = models.TextField()
    target_id = models.BigIntegerField()
    details = models.TextField()
    address = models.TextField()
    request_id = models.TextField()

    class Meta(Table.Meta):
        db_table = "audit_log"


class Named(Table):
    name = models.TextField()

    class Meta(Table.Meta):
        abstract = True


class Machine(Named):
    brand_id = models.BigIntegerField()
    kind = models.TextField()
    serial_number = models.TextField(null=True)
    manufacturer = models.TextField(null=True)
    model = models.TextField(null=True)
    year = models.IntegerField(null=True)
    number_plate = models.TextField(null=True)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    archived_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "machines"


class Project(Named):
    brand_id = models.BigIntegerField()
    name_key = models.TextField()
    code = models.TextField(null=True)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    archived_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "projects"


class Worksite(Named):
    brand_id = models.BigIntegerField()
    name_key = models.TextField()
    colour = models.TextField()
    kind = models.TextField()
    technical_contact = models.TextField(null=True)
    time_zone = models.TextField()
    area_m2 = models.BigIntegerField(null=True)
    project = models.ForeignKey(Project, models.DO_NOTHING, null=True)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    archived_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "worksites"


class User(Named):
    kind = models.TextField()
    state = models.TextField()

    class Meta(Table.Meta):
        db_table = "users"


class BaseStation(Table):
    serial = models.TextField()

    class Meta(Table.Meta):
        db_table = "base_stations"


class MachineAssignment(Table):
    machine = models.ForeignKey(Machine, models.DO_NOTHING)
    worksite = models.ForeignKey(Worksite, models.DO_NOTHING)
    to_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "machine_assignments"


class Installation(Table):
    machine = models.ForeignKey(Machine, models.DO_NOTHING)
    base_station = models.ForeignKey(BaseStation, models.DO_NOTHING)
    to_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "installations"


class Session(Table):
    brand_id = models.BigIntegerField()
    user = models.ForeignKey(User, models.DO_NOTHING)
    kind = models.TextField()
    secret = models.BinaryField()
    expires_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True)

    class Meta(Table.Meta):
        db_table = "sessions"


def foreign_key(to, name):
    return models.ForeignKey(to, models.DO_NOTHING, null=True, related_name=name)


class Incursion(Table):
    brand_id = models.BigIntegerField()
    seq = models.BigIntegerField()
    base_station = models.ForeignKey(BaseStation, models.DO_NOTHING)
    uid = models.TextField()
    tag = models.ForeignKey(Tag, models.DO_NOTHING, related_name="worn")
    operator_tag = foreign_key(Tag, "drove")
    started_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True)
    closed_at = models.BigIntegerField(null=True)
    acknowledged_at = models.BigIntegerField(null=True)
    zone = models.IntegerField()
    closest_cm = models.IntegerField(null=True)
    lat_e7 = models.BigIntegerField(null=True)
    lon_e7 = models.BigIntegerField(null=True)
    machine = foreign_key(Machine, "of")
    pedestrian = foreign_key(Person, "walked")
    operator = foreign_key(Person, "operated")
    worksite = foreign_key(Worksite, "of")
    project = foreign_key(Project, "of")
    local_day = models.BigIntegerField()
    review = models.IntegerField()
    received_at = models.BigIntegerField()

    class Meta(Table.Meta):
        db_table = "incursions"


class IncursionChild(Table):
    brand_id = models.BigIntegerField()
    incursion = models.ForeignKey(Incursion, models.DO_NOTHING)

    class Meta(Table.Meta):
        abstract = True


class IncursionReview(IncursionChild):
    review = models.IntegerField()
    comment = models.TextField(null=True)
    user = models.ForeignKey(User, models.DO_NOTHING)
    created_at = models.BigIntegerField()

    class Meta(Table.Meta):
        db_table = "incursion_reviews"


class IncursionHistory(IncursionChild):
    seq = models.BigIntegerField()
    replaced_seq = models.BigIntegerField()
    replaced_at = models.BigIntegerField()
    cause = models.TextField()
    ended_at = models.BigIntegerField(null=True)
    closed_at = models.BigIntegerField(null=True)
    acknowledged_at = models.BigIntegerField(null=True)
    zone = models.IntegerField()
    closest_cm = models.IntegerField(null=True)
    machine_id = models.BigIntegerField(null=True)
    pedestrian_id = models.BigIntegerField(null=True)
    operator_id = models.BigIntegerField(null=True)
    worksite_id = models.BigIntegerField(null=True)
    project_id = models.BigIntegerField(null=True)
    local_day = models.BigIntegerField()
    review = models.IntegerField()

    class Meta(Table.Meta):
        db_table = "incursion_history"


class VideoClip(IncursionChild):
    camera = models.TextField()
    state = models.TextField()

    class Meta(Table.Meta):
        db_table = "video_clips"


class DeviceToken(authentication.BaseAuthentication):
    """Authenticates a device by the hash of its token."""

    def authenticate(self, request):
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        hashed = hashlib.sha256(token.encode()).digest()
        found = Token.objects.filter(hash=hashed, ended_at=None, kind="tester").only("brand_id", "device_id").first()
        if scheme != "Bearer" or found is None:
            raise exceptions.AuthenticationFailed()
        return found, None

    def authenticate_header(self, request):
        return "Bearer"


class SessionCookie(authentication.BaseAuthentication):
    """Authenticates a session by the hash of its cookie."""

    def authenticate(self, request):
        hashed = hashlib.sha256(request.COOKIES.get("keepclear_session", "").encode()).digest()
        active = Session.objects.filter(secret=hashed, ended_at=None, kind="cookie", expires_at__gt=time.time_ns() // 1000)
        found = active.filter(user__state="active").only("brand_id").first()
        if found is None:
            raise exceptions.AuthenticationFailed()
        return found, None

    def authenticate_header(self, request):
        return "Cookie"


def iso(micros):
    return micros and datetime.fromtimestamp(micros / 1e6, timezone.utc).isoformat().replace("+00:00", "Z")


class PeopleAssets(APIView):
    authentication_classes = [DeviceToken]
    TIMES = ("created_at", "updated_at", "archived_at", "erased_at")
    FIELDS = ("id", "kind", "name", "employee_id", "email", "company", *TIMES)

    def get(self, request):
        rows = Person.objects.filter(brand_id=request.user.brand_id, archived_at=None)
        if kind := request.query_params.get("kind"):
            rows = rows.filter(kind=kind)
        if cursor := request.query_params.get("cursor"):
            key, last = json.loads(base64.urlsafe_b64decode(cursor))
            rows = rows.filter(name_key__gte=key).filter(models.Q(name_key__gt=key) | models.Q(id__gt=last))
        limit = int(request.query_params.get("limit", 50))
        page = list(rows.order_by("name_key", "id").values(*self.FIELDS, "name_key")[: limit + 1])
        following = None
        if len(page) > limit:
            page.pop()
            place = json.dumps([page[-1]["name_key"], page[-1]["id"]])
            following = base64.urlsafe_b64encode(place.encode()).decode()
        for row in page:
            del row["name_key"]
            for name in self.TIMES:
                row[name] = iso(row[name])
        return Response({"data": page, "page": {"limit": limit, "next": following}})


class NewTagAssignment(serializers.Serializer):
    tag_serial = serializers.RegexField(re.compile(r"^[!-~]+$"), max_length=64, required=False)
    tag_id = serializers.IntegerField(required=False)
    person_id = serializers.IntegerField()
    replace = serializers.BooleanField(default=False)

    def validate(self, fields):
        if ("tag_serial" in fields) == ("tag_id" in fields):
            raise validation_error("tag_serial", "give either this or tag_id")
        return fields


def validation_error(field, reason):
    return serializers.ValidationError({field: reason})


class TagAssignments(APIView):
    authentication_classes = [DeviceToken]

    def post(self, request):
        fields = NewTagAssignment(data=request.data)
        fields.is_valid(raise_exception=True)
        with transaction.atomic():
            assignment = self.assign(request, fields.validated_data)
        by = {"type": assignment.assigned_by_kind, "id": assignment.assigned_by_id, "name": None}
        tag, person = assignment.tag, assignment.person
        answer = {
            "id": assignment.id,
            "tag": {"id": tag.id, "serial": tag.serial},
            "person": {"id": person.id, "name": person.name, "kind": person.kind},
            "assigned_at": iso(assignment.assigned_at),
            "assigned_by": by,
            "ended_at": None,
            "ended_by": None,
            "created_at": iso(assignment.created_at),
            "updated_at": iso(assignment.updated_at),
        }
        return Response(answer, 201, headers={"Location": f"/api/v1/tester/tag_assignments/{assignment.id}"})

    def assign(self, request, fields):
        brand, device, now = request.user.brand_id, request.user.device_id, time.time_ns() // 1000
        # This comes first: the row lock serializes the writers of a brand, so that the rest needs no locks.
        Counters.objects.filter(brand_id=brand).update(registry_version=models.F("registry_version") + 1)
        tags = Tag.objects.filter(brand_id=brand)
        if "tag_id" in fields:
            tag, field = tags.filter(id=fields["tag_id"]).first(), "tag_id"
            if tag is None:
                raise validation_error(field, "is not a tag of this brand")
        else:
            serial, field = fields["tag_serial"], "tag_serial"
            tag = tags.filter(serial_key=serial.lower()).first()
            if tag is None:
                tag = Tag.objects.create(brand_id=brand, serial=serial, serial_key=serial.lower(), created_at=now, updated_at=now)
        if tag.retired_at:
            raise validation_error(field, "has been taken out of use")
        people = Person.objects.filter(brand_id=brand, id=fields["person_id"])
        person = people.only("id", "name", "kind", "archived_at").first()
        if person is None or person.archived_at:
            raise validation_error("person_id", "is not a person of this brand, or archived")
        opened = TagAssignment.objects.filter(brand_id=brand, tag=tag, ended_at=None).only("id", "assigned_at", "person_id").first()
        if opened and not fields["replace"]:
            raise validation_error(field, "is out already")
        if opened:
            now = max(now, opened.assigned_at)
            TagAssignment.objects.filter(id=opened.id).update(
                ended_at=now, ended_by_kind="tester_device", ended_by_id=device, updated_at=now
            )
            self.record(request, "ended", opened.id, tag.id, opened.person_id, now)
        assignment = TagAssignment.objects.create(
            brand_id=brand, tag=tag, person=person, assigned_at=now, assigned_by_kind="tester_device",
            assigned_by_id=device, created_at=now, updated_at=now,
        )
        self.record(request, "created", assignment.id, tag.id, person.id, now)
        return assignment

    def record(self, request, act, assignment_id, tag, person, now):
        Audit.objects.create(
            brand_id=request.user.brand_id, at=now, actor_kind="tester_device", actor_id=request.user.device_id,
            action=f"tag_assignment.{act}", target_kind="tag_assignment", target_id=assignment_id,
            details=json.dumps({"tag_id": tag, "person_id": person}),
            address=request.META["REMOTE_ADDR"], request_id=uuid.uuid4().hex[:20],
        )


ZONES, REVIEWS = {1: "warning", 2: "danger"}, {0: "unreviewed", 1: "confirmed", 2: "dismissed", 3: "false_detection"}


def id_and_name(row):
    return row and {"id": row.id, "name": row.name}


def actor(user):
    return {"type": "user" if user.kind == "person" else user.kind, **id_and_name(user)}


def shape_review(review):
    return {"state": REVIEWS[review.review], "by": actor(review.user), "at": iso(review.created_at), "comment": review.comment}


def id_and_serial(row):
    return row and {"id": row.id, "serial": row.serial}


def id_name_and_kind(row):
    return row and {"id": row.id, "name": row.name, "kind": row.kind}


def shape_clip(clip):
    return {"id": clip.id, "camera": clip.camera, "state": clip.state}


def day(number):
    return datetime.fromtimestamp(number * 86_400, timezone.utc).date().isoformat()


class IncursionRecord(APIView):
    authentication_classes = [SessionCookie]
    LINKS = ("base_station", "tag", "operator_tag", "machine", "pedestrian", "operator", "worksite", "project")

    def get(self, request, id):
        brand = request.user.brand_id
        has_rows = lambda table: models.Exists(table.objects.filter(brand_id=models.OuterRef("brand_id"), incursion_id=models.OuterRef("id")))
        rows = Incursion.objects.filter(brand_id=brand, id=id).select_related(*self.LINKS).only(
            *(field.name for field in Incursion._meta.concrete_fields),
            *(f"{link}__serial" for link in ("base_station", "tag", "operator_tag")),
            *(f"{link}__name" for link in ("machine", "worksite", "project")),
            *(f"{link}__{part}" for link in ("pedestrian", "operator") for part in ("name", "kind")),
        )
        row = rows.annotate(reviewed=has_rows(IncursionReview), changed=has_rows(IncursionHistory), filmed=has_rows(VideoClip)).first()
        if row is None:
            raise exceptions.NotFound()
        rows_of = lambda table: table.objects.filter(brand_id=brand, incursion_id=id).order_by("id")
        reviews = [shape_review(review) for review in (rows_of(IncursionReview).select_related("user") if row.reviewed else ())]
        history = list(rows_of(IncursionHistory)) if row.changed else []
        changed_at = [earlier.replaced_at for earlier in history if earlier.replaced_seq == row.seq]
        clips = [shape_clip(clip) for clip in (rows_of(VideoClip) if row.filmed else ())]
        since = lambda at: at and (at - row.started_at) // 1000
        return Response({
            "id": row.id,
            "seq": row.seq,
            "uid": row.uid,
            "started_at": iso(row.started_at),
            "ended_at": iso(row.ended_at),
            "closed_without_end": row.closed_at is not None and row.ended_at is None,
            "duration_ms": since(row.ended_at),
            "local_day": day(row.local_day),
            "acknowledged": row.acknowledged_at is not None,
            "acknowledged_at": iso(row.acknowledged_at),
            "ack_ms": since(row.acknowledged_at),
            "zone": ZONES[row.zone],
            "closest_cm": row.closest_cm,
            "position": row.lat_e7 and {"lat": row.lat_e7 / 1e7, "lon": row.lon_e7 / 1e7},
            "machine": id_and_name(row.machine),
            "base_station": id_and_serial(row.base_station),
            "tag": id_and_serial(row.tag),
            "operator_tag": id_and_serial(row.operator_tag),
            "pedestrian": id_name_and_kind(row.pedestrian),
            "operator": id_name_and_kind(row.operator),
            "worksite": id_and_name(row.worksite),
            "project": id_and_name(row.project),
            "review": reviews[-1] if reviews else {"state": REVIEWS[row.review], "by": None, "at": None, "comment": None},
            "received_at": iso(row.received_at),
            "clips": clips,
            "created_at": iso(row.received_at),
            "updated_at": iso(max(changed_at, default=row.received_at)),
            "reviews": reviews,
            "changes": [self.change(earlier) for earlier in history],
        }, headers={"ETag": f'"{row.seq}"'})

    def change(self, earlier):
        links = {f"{name}_id": getattr(earlier, f"{name}_id") for name in ("machine", "pedestrian", "operator", "worksite", "project")}
        replaced = {
            "seq": earlier.seq,
            "ended_at": iso(earlier.ended_at),
            "closed_without_end": earlier.closed_at is not None and earlier.ended_at is None,
            "acknowledged_at": iso(earlier.acknowledged_at),
            "zone": ZONES[earlier.zone],
            "closest_cm": earlier.closest_cm,
            **links,
            "local_day": day(earlier.local_day),
            "review": REVIEWS[earlier.review],
        }
        return {"seq": earlier.replaced_seq, "at": iso(earlier.replaced_at), "cause": earlier.cause, "replaced": replaced}


urlpatterns = [
    path("api/v1/incursions/<int:id>", IncursionRecord.as_view()),
    path("api/v1/tester/people_assets", PeopleAssets.as_view()),
    path("api/v1/tester/tag_assignments", TagAssignments.as_view()),
]
