#!/usr/bin/env python3
"""Plants faults in the dispatch and looks whether the simulator finds each of them.

usage: plants.py BUILD [--only TEXT] [--seeds N]

Each plant is an edit of a source, compiled as the build compiles it and linked into a simulator of
its own before the archives; the sources themselves hold no switch. `finds` is a part of what the
simulator must say. Prints TAP.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS = 2000  # a fault that hides longer would hide in CI, which plays 5,000
SECONDS = 150  # against a hunt that goes round in circles

# what | finds: a regular expression | edits: file, old, new
PLANTS = [
    ("settle without a look at epoch and token", r"\(S2\)|\(S9\)|deserves",
     [("domain/lease.c", " && lease->epoch == shown->epoch &&\n           lease->token == shown->token;", ";")]),
    ("an expired lease is accepted", r"\(S3\)",
     [("domain/lease.c", "    if (now_ms >= lease->until_ms) { /* (3), S3 */", "    if (now_ms >= lease->until_ms + 600000) {")]),
    ("the clock is read before the lock", r"\(S3\)",
     [("app/settle.c", "struct settle_work {\n", "struct settle_work {\n    int64_t early_ms;\n"),
      ("app/settle.c", "    request->work = work;\n", "    work->early_ms = clock_utc_ms(app->clock);\n    request->work = work;\n"),
      ("app/settle.c", "settle_check(&facts, batch->now_ms,", "settle_check(&facts, request->work->early_ms,")]),
    ("the session is not checked", r"\(S2\)|newest session",
     [("domain/node.c", "    if (session_epoch != node->session_epoch || session_epoch == 0) {", "    if (session_epoch == 0) {")]),
    ("reaping without a second look", r"\(S3\)",
     [("app/reap.c", "held->has_lease && reaping->now_ms >= held->lease.until_ms;", "held->has_lease;")]),
    ("the place row of a closed job is kept", r"closed job",
     [("app/settle.c", "    return lease_drop(batch->app, batch->db, &held->lease, err) &&\n           job_store_close", "    return job_store_close")]),
    ("an event is dropped without its effect", r"reached",
     [("app/event.c", "!user_problems_update(db, changed, batch->count, err)", "db == NULL || changed[0].value < 0")]),
    ("an event is never done", r"events are still open",
     [("app/event.c", "!event_store_delete(db, &batch->events[i], err)", "db == NULL")]),
    ("slots are counted before the lock", r"\(S5\)",
     [("app/claim.c", "    batch->busy[place_of_node(batch, lease.node.value)]++;",
       "    batch->busy[place_of_node(batch, lease.node.value)] = early[lease.node.value & 63];"),
      ("app/claim.c", "/* Slots in use are counted: nothing that is stored can be wrong. */\n", "static int32_t early[64];\n"),
      ("app/claim.c", "void dispatch_claim(struct app *app, struct claim_request *request) {\n    struct err err = {0};\n",
       "void dispatch_claim(struct app *app, struct claim_request *request) {\n    struct err err = {0};\n"
       "    struct db_reader *reader = NULL;\n    struct db_stmt *stmt = NULL;\n    bool row = false;\n"
       "    if (db_pool_take(app->readers, &reader, &err) &&\n"
       "        db_prepare(reader->db, \"SELECT count(*) FROM job_lease WHERE node_id = ?\", &stmt, &err)) {\n"
       "        db_bind_i64(stmt, 1, request->actor.node.value);\n"
       "        (void)!db_find(stmt, &row, &err);\n"
       "        early[request->actor.node.value & 63] = (int32_t)db_i64(stmt, 0);\n"
       "        db_stmt_release(stmt);\n        db_reader_release(reader);\n    }\n")]),
    ("slots are not counted", r"\(S5\)",
     [("domain/node.c", "    int32_t own = smaller(facts->wanted, node->slots - facts->busy);", "    int32_t own = smaller(facts->wanted, node->slots);")]),
    ("locks in the wrong order", r"CHECK failed: answer == LOCK_TAKE",
     [("app/claim.c", "batch->group_count, LOCK_HOST_GROUP, LOCK_EXCLUSIVE,", "batch->group_count, LOCK_JOB, LOCK_EXCLUSIVE,")]),
    ("the epoch does not grow", r"CHECK failed|\(S2\)",
     [("domain/lease.c", "job->lease_epoch + 1,", "job->lease_epoch > 0 ? job->lease_epoch : 1,")]),
    ("the claim's id is not remembered", r"\(S9\)",
     [("app/claim.c", "    claimant->replay = claimant->job_count > 0;", "    claimant->job_count = 0;")]),
    ("a draining node claims", r"\(S6\)",
     [("domain/node.c", 'case NODE_DRAINING: return "it is draining";', "case NODE_DRAINING: break;")]),
    ("a new session keeps the old one's leases", r"newest session",
     [("app/session.c", "    return node_leases_end(app, db, &leases, END_SESSION, err) &&\n           write_session", "    return write_session")]),
    ("an unknown commit is not read back", r"there twice",
     [("app/writer.c", "unknown ? was_made(writer, batch, item, &err) : NOT_MADE",
       "item == NULL ? was_made(writer, batch, item, &err) : NOT_MADE")]),
    ("the answer goes out before the commit", r"is not there|answered by|is settled",
     [("app/writer.c", "kind->run(writer->app, db, items, count, err) && db_commit(db, err);",
       "kind->run(writer->app, db, items, count, err) && (db_commit(db, err) || (db_rollback(db), true));")]),
    ("a settled result is refused when it comes again", r"\(S9\)",
     [("domain/lease.c", "    return SETTLE_ALREADY;", '    return refuse(err, "job_superseded", "", job->id);')]),
    ("attempts never run out", r"\(S11\)",
     [("domain/job.c", "    if (facts->attempts >= most ||", "    if (")]),
    ("a job goes back to the node that failed it", r"\(S15\) job \d+ was given",
     [("app/claim_avoid.c", "    if (!is_avoided(a, job, node.value)) {", "    if (a != NULL) {")]),
    ("an outage costs attempts", r"\(S15\) job \d+ pays",
     [("app/reap.c", "    if (outage_covers(", "    if (reaping == NULL && outage_covers(")]),
    ("a fault of the node costs an attempt", r"\(S15\) job \d+ failed",
     [("domain/job.c", "free_leases < JOB_FREE_LEASES_MAX)) {", "free_leases < 0)) {")]),
    ("a rejudging is applied in word only", r"applied judging counts",
     [("app/rejudge_apply.c", "    item->reason = REASON_NONE;\n    return effective_set(worker->app, worker->db, &held->submission, &outcome, err) &&\n           item_update",
       "    item->reason = REASON_NONE;\n    return outcome.verdict > 1000 ? false : item_update")]),
    ("what was kept is told as refused", r"was refused",
     [("app/writer.c", "    fail_unknown(item);\n}", "    fail_item(item, &err);\n}")]),
    ("the snapshot of a job that counts goes", r"has its snapshot|\(S12\)",
     [("store/retention_store.c", "WHEN s.current_job_id <> j.id AND s.effective_job_id <> j.id \"\n        \"THEN", "WHEN s.current_job_id <> 0 \"\n        \"THEN"),
      ("store/retention_store.c", "WHERE j.id = ? AND s.current_job_id <> j.id AND \"\n        \"s.effective_job_id <> j.id\"", "WHERE j.id = ? AND s.current_job_id <> \"\n        \"0\"")]),
    ("a promoted job loses its place", r"exactly one place",
     [("app/reap.c", "return job_store_update(db, job, err) && place_insert_ready(db, job, err);", "return job_store_update(db, job, err);")]),
]


class Builder:
    """Compiles changed sources as the build does, and links them before the archives."""

    def __init__(self, build):
        self.build = build
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            if path.is_relative_to(ROOT / "src"):
                self.commands[str(path.relative_to(ROOT / "src"))] = entry
        listed = subprocess.run(["ninja", "-C", build, "-t", "commands", "tests/sim/sim"],
                                capture_output=True, text=True, check=True)
        self.link_words = shlex.split(listed.stdout.splitlines()[-1])

    def compile(self, name, text, folder):
        entry = self.commands[name]
        source = folder / name.replace("/", "-")
        source.write_text(text)
        target = source.with_suffix(".o")
        words, skip = [], False
        for word in shlex.split(entry["command"]):
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MQ", "-c"):
                skip = True
            elif word not in ("-MD", "-Werror"):
                words.append(word)
        include = ["-I", str((ROOT / "src" / name).parent)]
        subprocess.run([*words, *include, "-w", "-O1", "-c", str(source), "-o", str(target)],
                       cwd=entry["directory"], check=True, capture_output=True, text=True)
        return target

    def link(self, edits, folder):
        texts = {}
        for name, old, new in edits:
            text = texts.get(name) or (ROOT / "src" / name).read_text()
            if text.count(old) != 1:
                raise ValueError(f"src/{name} holds {text.count(old)} times, not once: {old.strip()!r}")
            texts[name] = text.replace(old, new)
        objects = [str(self.compile(name, text, folder)) for name, text in texts.items()]
        words = list(self.link_words)
        program = folder / "sim"
        at = words.index("-o")
        words[at + 1] = str(program)
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        subprocess.run(words[:first] + objects + words[first:], cwd=self.build, check=True,
                       capture_output=True, text=True)
        return program


def hunt(builder, plant, seeds):
    """(found, what was said)."""
    _, finds, edits = plant
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = builder.link(edits, pathlib.Path(folder))
            done = subprocess.run(
                [program, "--seeds", str(seeds), "--no-shrink", "--languages", ROOT / "languages"],
                capture_output=True, text=True, timeout=SECONDS, check=False)
        except ValueError as problem:
            return False, str(problem)
        except subprocess.CalledProcessError as problem:
            return False, (problem.stderr or str(problem))[-400:]
        except subprocess.TimeoutExpired:
            return False, f"no end after {SECONDS} s"
    said = (done.stdout + done.stderr).strip()
    return done.returncode == 1 and re.search(finds, said) is not None, said[:400]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="those whose name holds this text")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    args = parser.parse_args()
    builder = Builder(args.build.resolve())
    plants = [plant for plant in PLANTS if args.only in plant[0]]
    print(f"1..{len(plants)}", flush=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda plant: hunt(builder, plant, args.seeds), plants)
        for number, (plant, (ok, said)) in enumerate(zip(plants, found), 1):
            failures += not ok
            first = said.splitlines()[0] if said else ""
            print(f"{'ok' if ok else 'not ok'} {number} - {plant[0]}", flush=True)
            print(f"#   {first if ok else said}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
