"""Every operation of the HTTP contract (docs/api), asked in a way that changes nothing."""

import re

import harness

API = harness.ROOT / "docs/api"
PATH = re.compile(r'^  "?(/[^":]+)"?: \{ \$ref: "(paths/\w+\.yaml)#/(\w+)" \}$', re.M)
METHOD = re.compile(r"^  (get|post|put|patch|delete):$", re.M)
# What is asked for is not there, so that nothing changes.
VALUES = {"id": "987654321", "digest": "0" * 64, "name": "nothing.txt"}
# These end the sessions that all others are asked with.
LAST = [("DELETE", "/api/v1/session")]


def block_of(text, name):
    found = re.search(rf"^{name}:\n((?:[ #].*\n|\n)*)", text, re.M)
    assert found, name
    return found[1]


def operations():
    """(method, path template), those of LAST at the end."""
    found = []
    listed = PATH.findall((API / "openapi.yaml").read_text(encoding="utf-8"))
    for path, file, name in listed:
        block = block_of((API / file).read_text(encoding="utf-8"), name)
        found += [(method.upper(), path) for method in METHOD.findall(block)]
    assert len(found) >= 40, f"docs/api is read wrongly: {len(found)} operations"
    return sorted(set(found) - set(LAST)) + LAST


def path_of(template):
    return re.sub(r"\{(\w+)\}", lambda match: VALUES.get(match[1], "1"), template)


def is_internal(template):
    return template.startswith("/api/v1/internal/") or template in ("/healthz", "/readyz",
                                                                    "/metrics")


# What gets as far as the database; all others are refused for their body, with or without it.
def bodies(epoch):
    lease = {"jobId": 987654321, "leaseEpoch": 1, "leaseToken": "0" * 16}
    return {
        ("POST", "/api/v1/session"): {"username": "nobody", "password": "wrong-password"},
        ("POST", "/api/v1/submissions"): {"problemId": 987654321, "language": "cpp", "source": "x"},
        ("POST", "/api/v1/submissions/{id}/cancel"): {},
        ("POST", "/api/v1/admin/submissions/{id}/rejudge"): {},
        ("POST", "/api/v1/admin/rejudgings/{id}/apply"): {},
        ("POST", "/api/v1/admin/rejudgings/{id}/undo"): {},
        ("POST", "/api/v1/admin/rejudgings/{id}/cancel"): {},
        ("PATCH", "/api/v1/admin/judgers/{id}"): {"revision": 1, "slots": 1},
        ("POST", "/api/v1/internal/judgers/join"): {
            "joinCode": "nobody-has-this", "protocolVersion": 1, "name": "n", "version": "0"},
        ("POST", "/api/v1/internal/judgers/heartbeat"): {
            "sessionEpoch": epoch, "busySlots": 0, "loadPermille": 0},
        ("POST", "/api/v1/internal/judgers/jobs/claim"): {
            "sessionEpoch": epoch, "freeSlots": 1, "waitMs": 0, "claimId": "0" * 15 + "7"},
        ("POST", "/api/v1/internal/judgers/jobs/renew"): {"sessionEpoch": epoch, "leases": [lease]},
        ("POST", "/api/v1/internal/judgers/jobs/release"): {"sessionEpoch": epoch,
                                                            "leases": [lease]},
    }
