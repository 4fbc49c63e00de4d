"""Manages processes that are stopped later, perhaps by a different program than the program that started them."""

import dataclasses
import os
import pathlib
import select
import signal
import time


@dataclasses.dataclass(frozen=True)
class Process:
    """Identifies a process by its id and its start time, because the system reuses ids."""

    name: str
    pid: int
    started: int  # clock ticks since the machine's start

    @classmethod
    def of(cls, name, pid):
        started = _start_of(pid)
        if started is None:
            raise ProcessLookupError(f"{name} ({pid}) has ended already")
        return cls(name, pid, started)

    def is_alive(self):
        return _start_of(self.pid) == self.started

    def signal(self, number):
        """Sends a signal, unless the process has ended."""
        handle = self._open()
        if handle is not None:
            with handle:
                signal.pidfd_send_signal(handle.fileno(), number)

    def stop(self, seconds):
        """Terminates the process, and kills it after a timeout. Returns whether it ended before the timeout."""
        handle = self._open()
        if handle is None:
            return True
        with handle:
            signal.pidfd_send_signal(handle.fileno(), signal.SIGTERM)
            if _has_ended(handle, seconds):
                return True
            signal.pidfd_send_signal(handle.fileno(), signal.SIGKILL)
            _has_ended(handle, 10)
            return False

    def _open(self):
        try:
            handle = os.fdopen(os.pidfd_open(self.pid), "rb", buffering=0)
        except (ProcessLookupError, FileNotFoundError):  # newer kernels raise both for processes that end
            return None
        # If the process still exists now, its id has not been reused, so the handle refers to the right process.
        if self.is_alive():
            return handle
        handle.close()
        return None


def wait_until(condition, seconds):
    """Polls the condition. Returns whether it became true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _has_ended(handle, seconds):
    ended = select.poll()  # select() accepts no descriptor above 1023
    ended.register(handle, select.POLLIN)
    return bool(ended.poll(seconds * 1000))


def _start_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The format of /proc/PID/stat is "pid (name) state ppid ...". The name may contain spaces and parentheses.
    fields = text[text.rindex(")") + 2 :].split()
    state, started = fields[0], int(fields[19])
    return None if state in "ZX" else started
