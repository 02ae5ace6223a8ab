"""Compare a page of incursions with their machines and worksites as JSON:API with Django REST framework JSON:API, over the same rows."""

import documents
import incursions

PAGE = 100


class IncursionPage:
    """The newest incursions of a simulated world, with their machines and worksites."""

    path = f"/api/v2/incursions?include=machine,worksite&page[size]={PAGE}"
    goals = {"SQLite": "at least 30 times", "PostgreSQL": "at least 20 times"}

    def add_rows_offline(self, command):
        command("simulate", "--brand", "Bench", *incursions.SIMULATION_OPTIONS)

    def add_rows(self, base, headers):
        pass

    def is_complete(self, data, included):
        """Check that there are as many incursions as requested, and exactly the machines and worksites that they refer to."""
        links = [resource["relationships"][name]["data"] for resource in data for name in ("machine", "worksite")]
        wanted = {(link["type"], link["id"]) for link in links if link}
        return len(data) == PAGE and {kind for kind, _ in wanted} == {"machines", "worksites"} and wanted == {(resource["type"], resource["id"]) for resource in included}


def rows(program, cache, folder, seconds, rounds):
    """Return the rows of this part of the results."""
    return documents.compare(IncursionPage(), program, cache, folder, seconds, rounds)
