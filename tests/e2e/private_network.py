"""A private network for one program and its children. Its machines have separate addresses, and their connections
can be cut. Nothing in it reaches another network. Needs root."""

import ipaddress
import os
import pathlib
import subprocess
import sys

from processes import Process, wait_until

INSIDE = "RATINGD_PRIVATE_NETWORK"
LONGEST_LIFE_SECONDS = 3600  # the maximum life of a machine whose test was killed
START_SECONDS = 10


def enter():
    """Continues this program in a new network with only the loopback. Call this first."""
    if INSIDE not in os.environ:
        if os.geteuid() != 0:
            raise SystemExit(f"{pathlib.Path(sys.argv[0]).name} needs root: it makes network namespaces.")
        os.environ[INSIDE] = "yes"
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
    _ip("link", "set", "lo", "up")


class PrivateNetwork:
    """"address" is this program's own address, such as "192.0.2.1/24". REQUIRES: enter()."""

    def __init__(self, address):
        self._network = ipaddress.ip_interface(address).network
        self._machines = {}  # address -> the process that holds the machine's network namespace
        _ip("link", "add", "switch", "type", "bridge")
        _ip("address", "add", address, "dev", "switch")
        _ip("link", "set", "switch", "up")

    def add(self, address):
        """Adds a machine. Returns the command prefix that runs a command there."""
        holder = subprocess.Popen(["unshare", "--net", "sleep", str(LONGEST_LIFE_SECONDS)],
                                  stdin=subprocess.DEVNULL, start_new_session=True)
        self._machines[address] = holder
        if not wait_until(lambda: _namespace_of(holder.pid) != _namespace_of(os.getpid()), START_SECONDS):
            raise AssertionError("no network namespace was made")
        port = f"machine{len(self._machines)}"
        _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _ip("link", "set", port, "master", "switch", "up")
        at_machine = self.at(address)
        _ip("link", "set", "lo", "up", at=at_machine)
        _ip("address", "add", f"{address}/{self._network.prefixlen}", "dev", "eth0", at=at_machine)
        _ip("link", "set", "eth0", "up", at=at_machine)
        return at_machine

    def at(self, address):
        return ["nsenter", f"--net=/proc/{self._machines[address].pid}/ns/net"]

    def cut(self, address):
        """The machine and the other machines no longer reach each other. This program reaches all of them."""
        self._route("add", address)

    def mend(self, address):
        self._route("delete", address)

    def close(self):
        for holder in self._machines.values():
            Process.of("sleep", holder.pid).stop(START_SECONDS)
            holder.wait()

    def _route(self, action, address):
        for other in set(self._machines) - {address}:
            for here, there in [(address, other), (other, address)]:
                _ip("route", action, "blackhole", there, at=self.at(here))


def _ip(*words, at=()):
    subprocess.run([*at, "ip", *words], check=True, stdin=subprocess.DEVNULL)


def _namespace_of(pid):
    return os.readlink(f"/proc/{pid}/ns/net")
