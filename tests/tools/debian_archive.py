"""The Debian archive that this machine's apt uses."""

import pathlib
import re
import subprocess


def own_suite():
    """Returns the codename of this machine's Debian."""
    return re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]


def mirror():
    """Returns the URL of the archive, which also has the other suites. Returns None if apt has none."""
    sources = subprocess.run(["apt-get", "indextargets", "--format", "$(CODENAME) $(SITE) $(LABEL)",
                              "Created-By: Packages"], check=True, capture_output=True, text=True).stdout
    for line in sources.splitlines():
        codename, site, label = line.split(" ", 2)
        if codename == own_suite() and label == "Debian":
            return site
    return None
