"""Describes the environment of a measurement: the machine, versions, and settings of the database."""

import os
import pathlib
import platform
import subprocess

from stack import REPOSITORY


def machine():
    cpus = [line.split(":", 1)[1].strip()
            for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")]
    return {"cpus": os.cpu_count(), "model": cpus[0] if cpus else platform.machine(),
            "kernel": platform.release()}


def versions(site):
    return {"ratingd": first_line(site.build_dir / "ratingd", "--version"),
            "commit": first_line("git", "-C", REPOSITORY, "describe", "--always", "--dirty"),
            "nginx": first_line("nginx", "-v"), "mariadb": first_line("mariadbd", "--version")}


def mariadb_settings(site):
    variables = site.mariadb().execute(
        "SHOW VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit',"
        " 'innodb_buffer_pool_size', 'innodb_log_file_size', 'sync_binlog', 'log_bin')")
    return dict(line.split("\t") for line in variables.splitlines())


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout + done.stderr).splitlines()), "")
