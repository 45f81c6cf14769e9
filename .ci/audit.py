"""Report known vulnerabilities of the packages in a folder: ``python audit.py SITE_PACKAGES``."""

from __future__ import annotations

import json
import subprocess
import sys

# Without an answer of the service there is nothing to report, and nothing to wait for.
SECONDS = 180


def main() -> int:
    """Print what was audited and what was found; return 1 if anything was."""
    command = ["pip-audit", "--format", "json", "--progress-spinner", "off", "--path", sys.argv[1]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"not audited: no answer within {SECONDS} s")
        return 0
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = done.stderr.strip().rpartition("\n")[2] or "no reason was given"
        print(f"not audited: {reason}")
        return 0
    audited = [package for package in packages if "skip_reason" not in package]
    found = [package for package in audited if package["vulns"]]
    # pip-audit alone says "none found" of packages that it could not look up, too.
    print(f"{len(audited)} packages audited, {len(packages) - len(audited)} not known there")
    for package in found:
        ids = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
        print(f"{package['name']} {package['version']}: {ids}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
