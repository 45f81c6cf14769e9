"""An HTML report is written whole, beside nothing half-written, and over nothing."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from skprivacy._cli._html_file import check_writable, write_html
from skprivacy.metrics._report import privacy_report


def report(group="g"):
    """Return a small report by group."""
    X = np.arange(40.0).reshape(20, 2)
    groups = [group] * 10 + ["other"] * 10
    return privacy_report(X, X + 0.25, groups=groups, output_dict=True)


class Tags(HTMLParser):
    """Collect tags and text, and check that they close in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.text = [], set(), ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_a_page_of_its_own(tmp_path):
    write_html(tmp_path / "r.html", report(), force=False)
    page = (tmp_path / "r.html").read_text("utf-8")
    tags = Tags(page)
    assert not tags.open
    assert {"html", "head", "title", "table"} <= tags.seen
    assert "Hidden Rate" in tags.text
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("group", ["<script>x</script>", "</table>&\"'", "\x1b[2J", "{report}"])
def test_labels_are_data_and_not_markup(tmp_path, group):
    write_html(tmp_path / "r.html", report(group), force=False)
    page = (tmp_path / "r.html").read_text("utf-8")
    tags = Tags(page)
    assert "script" not in tags.seen
    assert not tags.open
    assert "\x1b" not in page


def test_lone_surrogates_can_be_written(tmp_path):
    write_html(tmp_path / "r.html", report("\udc80"), force=False)
    assert "table" in Tags((tmp_path / "r.html").read_text("utf-8")).seen


def test_never_over_a_file_without_force(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    for refuse in (
        lambda: check_writable(path, [], force=False),
        lambda: write_html(path, report(), force=False),
    ):
        with pytest.raises(FileExistsError, match="--force"):
            refuse()
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]
    check_writable(path, [], force=True)
    write_html(path, report(), force=True)
    assert "Hidden Rate" in path.read_text("utf-8")


def test_never_over_a_table(tmp_path):
    table = tmp_path / "originals.csv"
    table.write_text("a\n1\n")
    (tmp_path / "link.html").symlink_to(table)
    for name in ("originals.csv", "link.html"):
        with pytest.raises(ValueError, match="is one of the tables"):
            check_writable(tmp_path / name, [str(table)], force=True)


@pytest.mark.parametrize("name", ["", "no/such/r.html"])
def test_no_place_to_write(tmp_path, name):
    with pytest.raises(ValueError, match="a folder that exists"):
        check_writable(tmp_path / name, [], force=True)


def failing(number):
    """Return what stands for a method of a path and fails with an error of the system."""

    def fail(self, *args, **kwargs):
        raise OSError(number, os.strerror(number), str(self))

    return fail


class FullDisk(io.StringIO):
    """Takes some letters and then no more; as with real files, the error has no file name."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def full_disk(self, *args, **kwargs):
    """Open a path for writing: the file is made, but there is no room for what it should hold."""
    self.touch(exist_ok=False)
    return FullDisk()


# What is there before, and --force; without it, a file that is there is refused earlier.
@pytest.mark.parametrize("start", [(None, False), (None, True), ("mine", True)], ids=str)
@pytest.mark.parametrize(
    ("faults", "number"),
    [
        ({"open": full_disk}, errno.ENOSPC),
        ({"open": failing(errno.EACCES)}, errno.EACCES),
        ({"replace": failing(errno.EIO), "hardlink_to": failing(errno.EPERM)}, errno.EIO),
    ],
    ids=["full disk", "unwritable folder", "no renaming"],
)
def test_an_error_names_the_file_and_leaves_all_as_it_was(
    tmp_path, monkeypatch, faults, number, start
):
    path, (before, force) = tmp_path / "r.html", start
    if before is not None:
        path.write_text(before)
    with monkeypatch.context() as patch:
        for name, fault in faults.items():
            patch.setattr(Path, name, fault)
        with pytest.raises(OSError, match=r"r\.html") as raised:
            write_html(path, report(), force=force)
    assert (raised.value.errno, raised.value.filename) == (number, str(path))
    assert contents(tmp_path) == ({} if before is None else {"r.html": before})


def contents(folder):
    """Return the files of a folder."""
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def made_in_between(path, monkeypatch, before):
    """Let somebody else write the file just before a method of the package's path is called."""
    method = getattr(Path, before)

    def be_late(self, *args, **kwargs):
        path.write_text("theirs")
        return method(self, *args, **kwargs)

    monkeypatch.setattr(Path, before, be_late)


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_never_over_a_file_that_appears_in_between(tmp_path, monkeypatch, links):
    path = tmp_path / "r.html"
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", failing(errno.EPERM))
    made_in_between(path, monkeypatch, before="hardlink_to" if links else "touch")
    with pytest.raises(FileExistsError, match="--force"):
        write_html(path, report(), force=False)
    assert contents(tmp_path) == {"r.html": "theirs"}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EINVAL])
def test_file_systems_without_hard_links(tmp_path, monkeypatch, number):
    monkeypatch.setattr(Path, "hardlink_to", failing(number))
    write_html(tmp_path / "r.html", report(), force=False)
    (page,) = contents(tmp_path).values()
    assert not Tags(page).open
    assert "Hidden Rate" in page


def test_a_link_to_nothing_that_appears_in_between(tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    method = Path.hardlink_to

    def be_late(self, *args):
        path.symlink_to("absent.html")
        return method(self, *args)

    monkeypatch.setattr(Path, "hardlink_to", be_late)
    with pytest.raises(FileExistsError, match=r"r\.html"):
        write_html(path, report(), force=False)
    assert path.is_symlink()
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


def test_the_longest_name_that_a_folder_takes(tmp_path):
    path = tmp_path / ("r" * 250 + ".html")
    try:
        path.touch()
    except OSError:
        pytest.skip("this file system takes no names of 255 letters")
    write_html(path, report(), force=True)
    assert "Hidden Rate" in path.read_text("utf-8")


# Runs the command with no more than 1000 bytes for each file; the report has more.
FULL = """
import resource
from skprivacy._cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for arguments in ["new.html"], ["old.html", "--force"]:
    print(main(["score", "o.csv", "a.csv", "--html", *arguments]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_no_room_in_earnest(tmp_path):
    for name, gap in (("o.csv", 0), ("a.csv", 0.25)):
        rows = [f"{i + gap},{i * i % 17 + gap}" for i in range(20)]
        (tmp_path / name).write_text("\n".join(["x,y", *rows]))
    (tmp_path / "old.html").write_text("mine")
    before = contents(tmp_path)
    command = [sys.executable, "-c", FULL]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    too_large = os.strerror(errno.EFBIG)
    assert errors == [f"skprivacy: error: {name}.html: {too_large}" for name in ("new", "old")]
    assert done.stdout == "2\n2\n"
    assert contents(tmp_path) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows folders have no such permissions")
def test_an_unwritable_folder_in_earnest(tmp_path):
    tmp_path.chmod(0o500)
    try:
        try:
            (tmp_path / "probe").touch()
        except PermissionError:
            with pytest.raises(PermissionError, match=r"r\.html"):
                write_html(tmp_path / "r.html", report(), force=False)
            assert not list(tmp_path.iterdir())
        else:
            pytest.skip("this user may write everywhere, as root may")
    finally:
        tmp_path.chmod(0o700)
