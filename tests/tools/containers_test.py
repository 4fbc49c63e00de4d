#!/usr/bin/env python3
"""Checks that compose.yaml limits the resources of containers, and that start.sh names the required engine."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CONTAINERS = REPOSITORY / "containers"


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = yaml.safe_load((CONTAINERS / "compose.yaml").read_text())["services"]

    def test_each_service_has_bounds(self):
        for name, service in self.services.items():
            self.assertEqual({"max-size": "10m", "max-file": "3"}, service["logging"]["options"], name)
            self.assertRegex(service["mem_limit"], r"^\d+[mg]$", name)
            for mount in service.get("tmpfs", []):
                self.assertRegex(mount, r"^/[\w/]+:size=\d+m$", name)

    def test_database_has_time_to_stop(self):
        self.assertEqual("2m", self.services["db"]["stop_grace_period"])

    def test_image_has_the_version_as_its_tag(self):
        project = (REPOSITORY / "CMakeLists.txt").read_text()
        version = re.search(r"^project\(ratingd VERSION (\S+)", project, re.MULTILINE)[1]
        images = {service["image"] for service in self.services.values() if "build" in service}
        self.assertEqual({f"ratingd:{version}"}, images)


class Start(unittest.TestCase):
    def start(self, says):
        """Runs start.sh with an engine whose Compose prints this version. Returns its output and whether it
        succeeded."""
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        copy = pathlib.Path(folder.name, "containers")
        shutil.copytree(CONTAINERS, copy, ignore=shutil.ignore_patterns("secrets"))
        engine = copy / "engine"
        engine.write_text(f'#!/bin/sh\nif [ "$2" = version ]; then {says}; else echo "$@"; fi\n')
        engine.chmod(0o755)
        done = subprocess.run([copy / "start.sh", "--quiet-pull"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env={**os.environ, "ENGINE": str(engine)})
        return done.stdout, done.returncode == 0, (copy / "secrets").exists()

    def test_starts_with_a_compose_that_is_new_enough(self):
        for version in ["2.17.0", "v2.29.1", "2.100.0-rc.1", "5.0.0"]:
            self.assertEqual(("compose up --build --detach --wait --quiet-pull\n", True, True),
                             self.start(f"echo {version}"), version)

    def test_says_what_it_needs_and_makes_no_secret(self):
        # If Docker Compose is not installed, "podman compose" calls podman-compose, which has its own version
        # numbers.
        for says in ["echo 2.16.9", "echo 1.29.2", "echo podman-compose version 1.0.3", "echo 1.5.0", "exit 125"]:
            said, is_started, has_secrets = self.start(says)
            self.assertEqual((False, False), (is_started, has_secrets), says)
            self.assertIn("needs Docker Compose 2.17 or later", said)
            self.assertIn("Podman needs version 4.7 or later", said)


if __name__ == "__main__":
    unittest.main()
