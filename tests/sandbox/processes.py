"""Processes that must be stopped later, also by another program than the one that started them."""

import dataclasses
import os
import pathlib
import select
import signal
import time


@dataclasses.dataclass(frozen=True)
class Process:
    """A process id alone may name a stranger after a while; together with its start it does not."""

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
        """Does nothing when the process has ended."""
        handle = self._open()
        if handle is not None:
            with handle:
                signal.pidfd_send_signal(handle.fileno(), number)

    def stop(self, seconds):
        """Asks it to end, and kills it if it has not in time. Says whether it ended by itself."""
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
        except (ProcessLookupError, FileNotFoundError):  # newer kernels have two for what ends now
            return None
        # Looked at after opening: from here on the handle means this process and no other.
        if self.is_alive():
            return handle
        handle.close()
        return None


def wait_until(condition, seconds):
    """Polls; says whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _has_ended(handle, seconds):
    ended = select.poll()  # select() takes no descriptor above 1023
    ended.register(handle, select.POLLIN)
    return bool(ended.poll(seconds * 1000))


def _start_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # "pid (name) state ppid ...": the name may hold spaces and brackets.
    fields = text[text.rindex(")") + 2 :].split()
    state, started = fields[0], int(fields[19])
    return None if state in "ZX" else started
