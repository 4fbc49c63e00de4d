"""A separate Debian that boots: debootstrap makes the folder, and systemd-nspawn runs it. It has systemd, users,
and a network without a route to the outside. A test can do everything there that a person does on a machine."""

import os
import pathlib
import re
import shutil
import subprocess

from debian_archive import mirror, own_suite
from mariadb import ServerError
from processes import wait_until

START_SECONDS = 60
# Packages that ratingd does not need: sudo, and the packages on a newly installed machine.
BASE_PACKAGES = "systemd,systemd-sysv,dbus,sudo,procps,ca-certificates"
# The packages that tests may install, downloaded in advance because the test machine has no internet access.
KEPT_PACKAGES = ["nginx", "apache2", "mariadb-server", "php-fpm", "php-mysql", "wordpress",
                 "wordpress-theme-twentytwentythree", "openssl", "curl"]
OPERATOR = "someone"
HOME = pathlib.Path("/home") / OPERATOR


class Box:
    """A Debian that boots. It is a copy of a folder that is made once and stored beside it. Needs root.

    Used by one thread, except for run().
    """

    def __init__(self, folder, package, suite=""):
        """"suite" is the Debian release. The default is the release of this machine."""
        self._suite = suite
        self._folder = pathlib.Path(folder).absolute()
        self._base = self._folder / "base"
        self.root = self._folder / "root"
        self.transcript = self._folder / "transcript.txt"
        self._package = pathlib.Path(package)
        self._supervisor = None
        self._leader = None

    # --- Starting and stopping ----------------------------------------------------------------

    def start(self):
        if os.geteuid() != 0:
            raise ServerError("Only root can boot a Debian in a folder.")
        self._folder.mkdir(parents=True, exist_ok=True)
        self.transcript.write_text("")
        self._make_base()
        if self.root.exists():
            shutil.rmtree(self.root)
        _call("cp", "--archive", "--reflink=auto", self._base, self.root)
        shutil.copy(self._package, self.root / HOME.relative_to("/"))
        self._boot()

    def stop(self):
        if self._supervisor is None:
            return
        self._supervisor.terminate()  # asks the system to halt
        try:
            self._supervisor.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()
            self._supervisor.wait()

    def restart(self):
        self.stop()
        self._boot()

    # --- Running commands ---------------------------------------------------------------------

    def run(self, script, user="root", check=True):
        """Runs a bash script, which ends at the first command that fails. Returns its output."""
        done = subprocess.run(
            [*self._enter(), "/usr/sbin/runuser", "-u", user, "--", "bash", "-euo", "pipefail",
             "-c", f"cd ~{user}; {script}"],
            check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with self.transcript.open("a") as transcript:
            lines = "".join(f"$ {line}\n" for line in script.splitlines())
            transcript.write(f"{lines}{done.stdout}[{done.returncode}]\n\n")
        if check and done.returncode != 0:
            raise ServerError(f"In the box failed:\n{script}\n{done.stdout}")
        return done.stdout

    def in_network(self, command):
        """Returns the command prefix that runs a command of this machine in the box's network."""
        return ["nsenter", "--target", str(self._leader), "--net", *map(str, command)]

    # --- Startup ------------------------------------------------------------------------------

    def _make_base(self):
        depends = _call("dpkg-deb", "--field", self._package, "Depends")
        recommends = _call("dpkg-deb", "--field", self._package, "Recommends")
        contents = "\n".join([BASE_PACKAGES, *KEPT_PACKAGES, depends, recommends])
        complete = self._base / "complete"
        if complete.exists() and complete.read_text() == contents:
            return
        if self._base.exists():
            shutil.rmtree(self._base)
        log = self._folder / "debootstrap.log"
        with log.open("wb") as output:
            if mirror() is None:
                raise ServerError(f"apt has no archive of Debian's {own_suite()}.")
            done = subprocess.run(["debootstrap", "--variant=minbase", f"--include={BASE_PACKAGES}",
                                   self._suite or own_suite(), self._base, mirror()],
                                  check=False, stdout=output, stderr=output)
            if done.returncode != 0:
                raise ServerError("debootstrap failed.", log)
            needed = [re.split(r"[ |]", word)[0] for word in depends.split(", ")]
            # Not every Debian has all recommended packages.
            needed += [word for word in recommends.strip().split(", ") if self._has_package(word)]
            self._chroot(output, "apt-get", "install", "--yes", "--download-only",
                         "--no-install-recommends", *KEPT_PACKAGES, *needed)
            self._chroot(output, "useradd", "--create-home", "--shell=/bin/bash", OPERATOR)
        rule = self._base / "etc/sudoers.d" / OPERATOR
        rule.write_text(f"{OPERATOR} ALL=(ALL) NOPASSWD: ALL\n")
        (self._base / "etc/hostname").write_text("box\n")
        (self._base / "etc/hosts").write_text("127.0.0.1 localhost box example.org\n")
        # The force-unsafe-io option speeds up package installation, and the test machine need not survive a
        # crash.
        (self._base / "etc/dpkg/dpkg.cfg.d/unsafe").write_text("force-unsafe-io\n")
        complete.write_text(contents)

    def _has_package(self, name):
        return subprocess.run(["chroot", self._base, "apt-cache", "show", name], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def _chroot(self, log, *command):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(["chroot", self._base, *command], check=False, stdin=subprocess.DEVNULL,
                              stdout=log, stderr=log, env=environment)
        if done.returncode != 0:
            raise ServerError(f"In the new Debian failed: {' '.join(command)}", log.name)

    def _boot(self):
        log = self._folder / "boot.log"
        command = ["systemd-nspawn", "--quiet", "--directory", self.root, "--private-network",
                   "--machine=ratingd-box", "--console=read-only", "--boot"]
        if not pathlib.Path("/run/systemd/system").exists():
            command[1:1] = ["--register=no", "--keep-unit"]  # there is nothing to register with
        with log.open("wb") as output:
            self._supervisor = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                                stderr=output, start_new_session=True)
        if not wait_until(self._has_booted, START_SECONDS):
            self.stop()
            raise ServerError("The box did not boot.", log)

    def _has_booted(self):
        """Finds the first process in the box. It is not the first child of the supervisor."""
        pid = self._supervisor.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if not children:
            return False
        self._leader = int(children[0])
        asked = subprocess.run([*self._enter(), "systemctl", "is-system-running"],
                               check=False, capture_output=True, text=True)
        return asked.stdout.strip() in ("running", "degraded")

    def _enter(self):
        return ["nsenter", "--target", str(self._leader), "--all", "--", "/usr/bin/env", "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                "DEBIAN_FRONTEND=noninteractive"]


def _call(*command):
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ServerError(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout
