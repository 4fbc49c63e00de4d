"""Measures the processor time of programs as the kernel counts it. The kernel's own threads, which write to the
disk, belong to no program and are not included."""

import os
import pathlib
import resource

TICKS = os.sysconf("SC_CLK_TCK")


def used(processes):
    """Returns the seconds by program for "processes", their children, and the clients that have ended.
    Processes with the same name are summed."""
    names = {process.pid: process.name for process in processes}
    seconds = {}
    for pid, parent, time in _all_processes():
        name = names.get(pid) or names.get(parent)
        if name:
            seconds[name] = seconds.get(name, 0) + time
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {**seconds, "client": ended.ru_utime + ended.ru_stime}


def cost_per_request(before, after, requests):
    """Returns the microseconds per request by program, if it is more than 0.1."""
    costs = {name: (seconds - before.get(name, 0)) * 1e6 / max(requests, 1) for name, seconds in after.items()}
    return {name: round(cost, 1) for name, cost in costs.items() if cost >= 0.1}


def share_of_others(before, after, seconds):
    """Returns the share of the machine's time that other work used. The measured programs used "seconds" of the
    time. Other work includes other programs, the kernel's threads, and other machines on the same processors.
    "before" and "after" are the first lines of /proc/stat."""
    user, nice, system, idle, wait, *interrupts_and_stolen = (
        (int(now) - int(then)) / TICKS for then, now in zip(before.split()[1:9], after.split()[1:9], strict=True))
    busy = user + nice + system + sum(interrupts_and_stolen)
    return max(busy - seconds, 0) / max(busy + idle + wait, 1 / TICKS)


def of_machine():
    """Returns the line for share_of_others()."""
    with open("/proc/stat") as stat:
        return stat.readline()


def _all_processes():
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            yield time_of(stat.read_text())
        except OSError:  # the process has ended
            continue


def time_of(stat):
    """Returns the process id, the parent's id, and the seconds of all threads, from a line of proc(5)'s stat."""
    pid, rest = stat.split(" (", 1)
    fields = rest.rsplit(") ", 1)[1].split()  # from the third field on
    return int(pid), int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
