#!/usr/bin/env python3
"""Tests three nodes in a Galera cluster and two hosts with ratingd that write to two of the nodes. Nodes die,
freeze, are cut off and restarted while people vote. No node may lose a confirmed vote or count a vote twice.

RATINGD_RUN_DIR (build/faults) is the prefix of the folders for the hosts and for the nodes' logs.
RATINGD_BUILD_DIR (build/release) is the folder with the programs. Needs root."""

import contextlib
import signal
import time
import unittest

from fault_sandbox import Session, wait_until  # first because it sets the module path
import private_network
from documents import texts_of
from galera_cluster import DOCUMENT, Cluster, GaleraHost
from mariadb import ServerError
from voting import Load, fresh_objects, poll

VOTERS = 16  # for each host
HOT_OBJECTS, OTHER_OBJECTS = 20, 1000
SERVICE_SECONDS = 5  # the maximum time from a cluster that accepts writes until all hosts respond to votes
APPLY_SECONDS = 10
CALM_SECONDS = 0.5
REFUSED = 50  # refusals from each host in a row, without any success
# Log events that must not occur.
UNEXPECTED = ("vote_batch_failed", "vote_batch_rejected", "request_failed")


def statements(heading):
    [text] = texts_of(DOCUMENT, heading, "sql")
    return text


def setUpModule():
    private_network.enter()
    cluster = GaleraTest.cluster = Cluster()
    unittest.addModuleCleanup(cluster.close)
    cluster.start()
    first = GaleraHost(cluster.nodes, "a", (0, 1, 2))
    GaleraTest.hosts = [first, GaleraHost(cluster.nodes, "b", (1, 2, 0), first)]
    for host in GaleraTest.hosts:
        unittest.addModuleCleanup(host.stop_cleanly)
        host.start()
    # The voters in this test repeat rejected votes more often than human visitors would.
    first.ratingctl("settings", "set", "rate_limit_write=1000000")


class CalmLoad(Load):
    """Each voter pauses after a vote because each batch of votes may conflict with a slice of a repair."""

    def _vote_once(self, voter, object_id, thousandths):
        confirmed = super()._vote_once(voter, object_id, thousandths)
        self._stop.wait(CALM_SECONDS)
        return confirmed


class GaleraTest(unittest.TestCase):
    cluster, hosts = None, []

    # --- Voters and commands ------------------------------------------------------------------

    @contextlib.contextmanager
    def votes(self, kind=Load, keeps_all=True):
        """People vote before, during and after the block. Afterwards all nodes must have the same data, including
        all confirmed votes. Each host begins with the first node in its list."""
        for host in self.hosts:
            for worker in host.workers():
                host.restart_worker(worker)
        objects = fresh_objects(HOT_OBJECTS + OTHER_OBJECTS)
        # Half of the votes are on a few objects and often conflict. Votes on the many other objects are rarely
        # replaced by later votes.
        wanted = objects[:HOT_OBJECTS] * (OTHER_OBJECTS // HOT_OBJECTS) + objects[HOT_OBJECTS:]
        with contextlib.ExitStack() as stack:
            loads = [stack.enter_context(kind(host.service, VOTERS, wanted)) for host in self.hosts]
            for load in loads:
                self.addCleanup(load.close)
                load.wait_for_votes(200)
            yield loads
            self.cluster.wait_for_all()
            for load in loads:
                load.wait_for_everyone()
        print(f"{self._testMethodName}: {sum(load.answered() for load in loads)} votes,"
              f" {sum(len(load.failures) for load in loads)} answers of 503", flush=True)
        for load in loads:
            self.assertLessEqual({answer.status for answer in load.failures if answer}, {503})
        self.check_nodes()
        if keeps_all:
            self.check_votes(loads, objects)
        for host in self.hosts:
            self.assertFalse([line for line in host.log().splitlines()
                              if any(f"event={event} " in line for event in UNEXPECTED)])

    def damage_sums(self, node):
        poll(lambda: self.is_executed(node, "UPDATE wp_ratingd_totals SET sum = sum + 1 LIMIT 50;"
                                            "DELETE FROM wp_ratingd_daily LIMIT 50"), "sums are damaged")

    def is_executed(self, node, statements):
        """Returns whether the node executes the statements. A node refuses statements that conflict with votes on
        another node."""
        try:
            node.execute(statements, "wordpress")
        except ServerError:
            return False
        return True

    @contextlib.contextmanager
    def repair_waits_on(self, node):
        """Damages sums. During the block, the command that repairs them waits for a lock on this node."""
        self.damage_sums(node)
        lock = Session(["mariadb", "--no-defaults", "--skip-ssl", f"--socket={node.socket}", "--user=root",
                        "--batch", "--unbuffered", "--skip-column-names", "wordpress"])
        try:
            lock.run("BEGIN; SELECT 1 FROM wp_ratingd_rollup_state FOR UPDATE;")
            repair = self.hosts[0].start_ratingctl(node, "rebuild")
            self.addCleanup(repair.kill)
            poll(lambda: self.is_leased(self.cluster.nodes[1], "rebuild"), "the repair has begun")
            yield repair
        finally:
            lock.close()

    def is_leased(self, node, name):
        return node.execute(f"SELECT * FROM wp_ratingd_leases WHERE name = '{name}' AND owner <> 0", "wordpress")

    def wait_for_service(self, loads, fault):
        """Waits until all hosts store votes again because the cluster now accepts writes. "fault" is the time at
        which storing may have failed."""
        start = time.monotonic()
        before = [load.answered() for load in loads]
        poll(lambda: all(load.answered() > count for load, count in zip(loads, before, strict=True)),
             "all hosts store votes", SERVICE_SECONDS)
        back = time.monotonic()
        print(f"{self._testMethodName}: votes on all hosts {back - fault:.1f} s after the fault,"
              f" {back - start:.2f} s after the cluster", flush=True)

    def wait_for_refusals(self, loads):
        """Waits until all hosts refuse votes repeatedly."""
        before = [len(load.failures) for load in loads]
        poll(lambda: all(len(load.failures) > count + REFUSED
                         for load, count in zip(loads, before, strict=True)), "all hosts refuse votes")

    # --- Stored votes -------------------------------------------------------------------------

    def check_nodes(self):
        # Wait until each node has applied the commits of all other nodes.
        self.assertTrue(wait_until(self.tables_are_equal, APPLY_SECONDS), "nodes differ")
        for node in self.cluster.nodes:
            self.hosts[0].ratingctl("verify", f"--db-host={node.address}")

    def check_votes(self, loads, objects):
        confirmed = {object_id: [] for object_id in objects}
        for load in loads:
            for voter in load.voters:
                self.assertEqual(voter.rated, voter.own_ratings(), voter.name)
            for object_id, values in load.totals().items():
                confirmed[object_id] += values
        expected = {object_id: (len(values), sum(values)) for object_id, values in confirmed.items() if values}
        for node in self.cluster.nodes:
            self.assertEqual(expected, self.stored(node, objects), node.address)

    def stored(self, node, objects):
        rows = node.execute("SELECT object_id, COUNT(*), SUM(value) FROM wp_ratingd_votes WHERE object_id IN"
                            f" ({','.join(map(str, objects))}) GROUP BY object_id", "wordpress")
        return {int(object_id): (int(count), int(total))
                for object_id, count, total in (row.split("\t") for row in rows.splitlines())}

    def tables_are_equal(self):
        nodes = self.cluster.nodes
        tables = nodes[0].execute("SHOW TABLES LIKE 'wp\\_ratingd\\_%'", "wordpress").split()
        statement = f"CHECKSUM TABLE {', '.join(tables)}"
        return len({node.execute(statement, "wordpress") for node in nodes}) == 1


class AllIsWell(GaleraTest):
    def test_1_votes_on_two_nodes_are_counted_exactly(self):
        with self.votes() as loads:
            for load in loads:
                load.wait_for_votes(1000)
        retries = sum(sum(host.metrics()["ratingd_vote_retries_total"].samples.values()) for host in self.hosts)
        self.assertGreater(retries, 10)  # without conflicts between the two nodes, the test would prove nothing

    def test_2_a_repair_on_the_third_node_is_exact(self):
        third = self.cluster.nodes[2]
        with self.votes(CalmLoad) as loads:
            for node in self.cluster.nodes:
                self.damage_sums(node)
                self.hosts[0].ratingctl("rebuild", f"--db-host={third.address}")
            for load in loads:
                load.wait_for_votes(100)

    def test_3_imports_on_two_nodes_exclude_each_other(self):
        host, nodes = self.hosts[0], self.cluster.nodes
        rows = host.ratingctl("export").splitlines(keepends=True)
        first = self.begin_import(nodes[0], rows[0])
        second = host.start_ratingctl(nodes[1], "import")
        said, _ = second.communicate("".join(rows))
        self.assertNotEqual(0, second.returncode)
        self.assertIn("Another import", said)
        said, _ = first.communicate("".join(rows[1:]))
        self.assertEqual(0, first.returncode, said)
        self.check_nodes()

    def test_4_an_import_takes_over_from_one_that_stands_still(self):
        host, nodes = self.hosts[0], self.cluster.nodes
        rows = host.ratingctl("export").splitlines(keepends=True)
        first = self.begin_import(nodes[0], rows[0])
        first.send_signal(signal.SIGSTOP)
        second = host.start_ratingctl(nodes[1], "import")
        said, _ = second.communicate("".join(rows))
        self.assertEqual(0, second.returncode, said)
        first.send_signal(signal.SIGCONT)
        said, _ = first.communicate("".join(rows[1:]))
        self.assertNotEqual(0, first.returncode)
        self.assertIn("was taken over", said)
        self.check_nodes()

    def test_5_a_repair_takes_over_from_one_that_stands_still(self):
        host, nodes = self.hosts[0], self.cluster.nodes
        with self.votes(CalmLoad):
            with self.repair_waits_on(nodes[0]) as first:
                first.send_signal(signal.SIGSTOP)
            host.ratingctl("rebuild", f"--db-host={nodes[2].address}")
            first.send_signal(signal.SIGCONT)
            said, _ = first.communicate()
            self.assertNotEqual(0, first.returncode, said)

    def begin_import(self, node, row):
        """Starts an import that can receive more rows."""
        command = self.hosts[0].start_ratingctl(node, "import")
        self.addCleanup(command.kill)
        command.stdin.write(row)
        command.stdin.flush()
        poll(lambda: self.is_leased(self.cluster.nodes[1], "changes"), "the import has begun")
        return command


class Nodes(GaleraTest):
    def test_1_one_dies_and_comes_back(self):
        node = self.cluster.nodes[0]
        with self.votes() as loads:
            fault = time.monotonic()
            node.kill()
            self.cluster.wait(2)
            self.wait_for_service(loads, fault)
            node.start()
            node.wait()

    def test_2_one_freezes_and_goes_on(self):
        node = self.cluster.nodes[1]
        with self.votes() as loads:
            fault = time.monotonic()
            node.process.signal(signal.SIGSTOP)
            self.cluster.wait(2)
            self.wait_for_service(loads, fault)
            node.process.signal(signal.SIGCONT)

    def test_3_one_is_cut_off(self):
        node = self.cluster.nodes[0]
        with self.votes() as loads:
            fault = time.monotonic()
            self.cluster.network.cut(node.address)
            self.cluster.wait(2)
            self.wait_for_service(loads, fault)
            self.assertTrue(wait_until(lambda: not node.is_primary(), 30))
            self.cluster.network.mend(node.address)

    def test_4_two_die_and_no_vote_is_confirmed_until_they_are_back(self):
        survivor, *others = self.cluster.nodes
        with self.votes() as loads:
            fault = time.monotonic()
            for node in others:
                node.kill()
            poll(lambda: survivor.status("wsrep_cluster_status") == "non-Primary", "the majority is lost")
            self.check_that_votes_are_refused(loads)
            for node in others:
                node.start()
            self.cluster.wait(3)
            self.wait_for_service(loads, fault)

    def test_5_all_die_and_the_most_advanced_one_begins(self):
        nodes = self.cluster.nodes
        with self.votes() as loads:
            fault = time.monotonic()
            for node in nodes:
                node.kill()
            self.check_that_votes_are_refused(loads)
            first = self.most_advanced(nodes)
            state = first.data("grastate.dat")
            state.write_text(state.read_text().replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))
            first.start("--wsrep-new-cluster")
            first.wait()
            self.wait_for_service(loads, fault)
            for node in nodes:
                if node is not first:
                    node.start()
                    node.wait()

    def test_6_two_are_lost_and_the_last_one_goes_on(self):
        survivor, *others = self.cluster.nodes
        with self.votes(keeps_all=False) as loads:  # the last votes may be on the lost nodes only
            fault = time.monotonic()
            for node in others:
                node.kill()
            poll(lambda: survivor.status("wsrep_cluster_status") == "non-Primary", "the majority is lost")
            survivor.execute(statements("The majority is lost"))
            self.cluster.wait(1)
            self.wait_for_service(loads, fault)
            for node in others:
                node.start()

    def test_7_all_are_restarted_one_by_one(self):
        with self.votes() as loads:
            for node in self.cluster.nodes:
                fault = time.monotonic()
                node.stop()
                self.cluster.wait(2)
                self.wait_for_service(loads, fault)
                node.start()
                node.wait()

    def test_8_one_dies_during_a_repair(self):
        node = self.cluster.nodes[2]
        with self.votes(CalmLoad):
            with self.repair_waits_on(node) as repair:
                node.kill()
            said, _ = repair.communicate()
            self.assertNotEqual(0, repair.returncode, said)
            self.cluster.wait(2)
            self.hosts[0].ratingctl("rebuild")
            node.start()
            node.wait()

    def check_that_votes_are_refused(self, loads):
        self.wait_for_refusals(loads)  # until then, earlier responses may still arrive
        before = [load.answered() for load in loads]
        self.wait_for_refusals(loads)
        self.assertEqual(before, [load.answered() for load in loads])

    def most_advanced(self, nodes):
        positions = {node: node.recovered_position() for node in nodes}
        self.assertEqual(1, len({cluster for cluster, _ in positions.values()}))
        return max(nodes, key=lambda node: positions[node][1])


if __name__ == "__main__":
    unittest.main(failfast=True)
