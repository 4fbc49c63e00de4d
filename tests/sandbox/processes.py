"""Processes that are stopped later, perhaps by a program other than the one that started them."""

import dataclasses
import os
import pathlib
import select
import signal
import time


@dataclasses.dataclass(frozen=True)
class Process:
    """A process, by its id and its start time. The id alone may name another process after a while."""

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
        """Sends a signal. Does nothing if the process has ended."""
        handle = self._open()
        if handle is not None:
            with handle:
                signal.pidfd_send_signal(handle.fileno(), number)

    def stop(self, seconds):
        """Asks the process to end, and kills it after a timeout. Returns whether it ended by itself."""
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
        # The handle is opened before this check, so it certainly belongs to this process.
        if self.is_alive():
            return handle
        handle.close()
        return None


def wait_until(condition, seconds):
    """Polls. Returns whether the condition became true in time."""
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
    # The line is "pid (name) state ppid ...". The name may contain spaces and brackets.
    fields = text[text.rindex(")") + 2 :].split()
    state, started = fields[0], int(fields[19])
    return None if state in "ZX" else started
