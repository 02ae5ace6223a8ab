"""Measure questions to ClickHouse: four nodes compared with one, the cube beside them, and what small inserts cost.

All nodes share the cores of this machine, so that only processor time can be compared: what the same work takes, of all processes
together. 0.8 means that four do 0.8 times as much work per processor second as one.
"""

import contextlib
import os
import time

import processor_time
from clickhouse import ClickHouseNode
from servers import ExampleProgram

ROWS, DAYS = 8_000_000, 365
# The questions with a goal, by the beginning of their names.
GOALS = {"site x month x zone": 0.85, "machine x person pairs": 0.85, "median": 0.7, "distinct people": 0.6}
# Each node compiles expressions when it has evaluated them three times, and puts answers together in every fourth round only.
WARM_UP_ROUNDS = 16
# As of a brand with 32 rows a second: a table of a node gets at most two inserts a second.
INSERT_ROWS, INSERT_SECONDS = 16, 120


def start_questions(program, clusters):
    """Start the example of the warehouse, which holds the same rows in a cube and in clusters."""
    nodes = [",".join(f"{node.url}|{node.native}" for node in cluster) for cluster in clusters]
    return ExampleProgram([program, str(ROWS), str(DAYS), *nodes])


def idle_rate(pids, seconds=10):
    """Return how many processor seconds processes use in a second in which nobody asks anything."""
    before = processor_time.exactly_of(pids)
    time.sleep(seconds)
    return (processor_time.exactly_of(pids) - before) / seconds


def pin(pids, cores):
    """Let all threads of processes run on these cores only; threads that they start later inherit it."""
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


class MeasuredPart:
    """A part that answers the same questions as others, with what its processes use meanwhile."""

    def __init__(self, word, pids):
        self.word, self.pids, self.rate = word, pids, idle_rate(pids)
        self.reset()

    def reset(self):
        self.used, self.times_ms = 0, []

    def ask(self, questions, number):
        """Ask a question once. What the processes use anyway, while nobody asks, is not counted."""
        before, started_at = processor_time.exactly_of(self.pids), time.perf_counter()
        self.times_ms.append(questions.measure_ms(f"{self.word} {number}"))
        # What nodes still do after the answer, such as giving memory back.
        time.sleep(0.05)
        self.used += processor_time.exactly_of(self.pids) - before - self.rate * (time.perf_counter() - started_at)

    @property
    def used_ms(self):
        """The milliseconds of processor time of a round."""
        return max(self.used, 0.001) * 1e3 / len(self.times_ms)


def rows(example, folder, rounds):
    """Return the rows of this part of the results."""
    with contextlib.ExitStack() as stack:
        nodes = []
        for number in range(5):
            nodes.append(ClickHouseNode(folder / f"node-{number}"))
            stack.callback(nodes[-1].stop)
        one, four = nodes[:1], nodes[1:]
        questions = start_questions(example, [one, four])
        stack.callback(questions.stop)
        stored_bytes, stored_rows = one[0].merge_all()
        for node in four:
            node.merge_all()
        # Background work after the merges is not counted.
        time.sleep(20)
        one_node = MeasuredPart(0, [node.process.pid for node in one])
        four_nodes = MeasuredPart(1, [node.process.pid for node in four])
        cube = MeasuredPart("cube", [questions.process.pid])
        table = [(
            f"{ROWS / 1e6:.0f} M rows of {DAYS} days", f"{stored_bytes / stored_rows:.1f} bytes a row on a node",
            f"{questions.summary['bytes'] / ROWS:.1f} bytes a row in the cube", "",
        )]
        for number, name in enumerate(questions.questions):
            assert questions.send(f"compare {number}") == "equal"
            all_cores = os.sched_getaffinity(0)
            # Nodes run on one core, one of them or four: cores of a virtual machine are slower while their neighbour is busy, so that four
            # nodes on two cores would take more processor time for the same work. The cube keeps both, and is not compared by that.
            # They take turns, because the machine is not equally fast at all times, and the first rounds, in which ClickHouse compiles
            # expressions, do not count.
            pin(one_node.pids + four_nodes.pids, {min(all_cores)})
            for round_number in range(WARM_UP_ROUNDS + max(rounds, 8)):
                if round_number == WARM_UP_ROUNDS:
                    one_node.reset(), four_nodes.reset()
                for part in (one_node, four_nodes):
                    part.ask(questions, number)
            pin(one_node.pids + four_nodes.pids, all_cores)
            cube.reset()
            for _ in range(max(rounds, 5)):
                cube.ask(questions, number)
            one_ms = min(questions.measure_ms(f"{one_node.word} {number}") for _ in range(max(rounds, 5)))
            share = one_node.used_ms / four_nodes.used_ms
            goal = next((f"at least {goal}" for beginning, goal in GOALS.items() if name.startswith(beginning)), "")
            table.append((
                f"{name}: four nodes compared with one", f"{share:.2f} of its work per processor second",
                f"one node {one_node.used_ms:,.0f} ms of processor time, four {four_nodes.used_ms:,.0f} ms", goal,
            ))
            table.append((
                f"{name}: cube and one node", f"cube {min(cube.times_ms):,.1f} ms, ClickHouse {one_ms:,.1f} ms",
                f"{one_ms / min(cube.times_ms):.1f} times as long; processor time {cube.used_ms:,.0f} and {one_node.used_ms:,.0f} ms", "",
            ))
        return [*table, small_inserts_row(one[0])]


def small_inserts_row(node):
    """Return what inserts of a few rows cost, with the merges of their parts, into a table that has many rows."""
    table = node.run_sql("select name from system.tables where database = 'keepclear' and name like '%_incursions'")
    begin_us = int(node.run_sql(f"select max(started_at) from {table}"))
    rate, inserts = idle_rate([node.process.pid]), 2 * INSERT_SECONDS
    before, started_at = processor_time.exactly_of([node.process.pid]), time.perf_counter()
    for number in range(inserts):
        first = number * INSERT_ROWS + 1
        node.run_sql(
            f"insert into {table} (started_at, id, seq, duration_ms, ended, project, worksite, machine, station, pedestrian, operator, tag, local_day, local_minute, cell) "
            f"select {begin_us} + number, {ROWS} + number, {ROWS} + number, rand(1) % 60000, 1, rand(2) % 40, rand(3) % 200, rand(4) % 2000, rand(4) % 2000, "
            f"rand(5) % 5000, rand(6) % 5000, rand(5) % 5000, 20454, rand(7) % 10080, rand64() from numbers({first}, {INSERT_ROWS})"
        )
        time.sleep(max(0, started_at + (number + 1) / 2 - time.perf_counter()))
    elapsed = time.perf_counter() - started_at
    used = processor_time.exactly_of([node.process.pid]) - before - rate * elapsed
    parts = node.run_sql(f"select count() from system.parts where active and table = '{table}'")
    stored = node.run_sql(f"select count() from {table} where id > {ROWS}")
    assert int(stored) == inserts * INSERT_ROWS, stored
    return (
        f"{INSERT_ROWS} rows twice a second for {INSERT_SECONDS} s into the table of one node, with merges", f"{used / inserts * 1e3:.1f} ms of processor time an insert",
        f"{used / elapsed:.3f} of a core; the table has {parts} parts at the end", "",
    )
