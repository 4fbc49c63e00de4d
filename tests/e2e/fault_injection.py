"""Gives unmodified programs wrong clocks and slow disks."""

import mmap
import struct


class FaultInjection:
    """Injects faults into programs that are started with "launcher", even while they run. There are no faults at
    first."""

    FORMAT = "=qq"  # the format in tests/e2e/fault_injection.cpp

    def __init__(self, build_dir, path):
        path.write_bytes(bytes(struct.calcsize(self.FORMAT)))
        self.launcher = ["env", f"LD_PRELOAD={build_dir / 'tests/libfault_injection.so'}",
                         f"RATINGD_FAULT_INJECTION={path}"]
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)
        self._seconds_ahead = self._flush_microseconds = 0

    def set_clock_ahead(self, seconds):
        self._seconds_ahead = seconds
        self._write()

    def slow_flushes(self, milliseconds):
        self._flush_microseconds = 1000 * milliseconds
        self._write()

    def _write(self):
        struct.pack_into(self.FORMAT, self._memory, 0, self._seconds_ahead, self._flush_microseconds)
